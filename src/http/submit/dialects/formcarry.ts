/** formcarry: `/s/{id}`. Its clients look at `code` in the body, not at the status. */
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
