/** formcarry: `/s/{id}`. Its clients check `code` in the body, not the status. */
import { type Dialect, ours } from './dialect.js';

export const formcarry: Dialect = {
  ...ours,
  name: 'formcarry',
  accepted: (submission) => ({
    ...ours.accepted(submission),
    code: 200,
    status: 'success',
    title: 'Thank you!',
    message: 'We received your submission',
  }),
  refused: (_, status, problem) => ({
    ...problem,
    code: status,
    status: 'error',
    title: 'Error',
    message: problem.error,
  }),
};
