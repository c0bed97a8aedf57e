/** FormSubmit: `/{address}` and, for scripts, `/ajax/{address}`. Its `success` is a string. */
import { type Dialect, ours } from './dialect.js';

export const formsubmit: Dialect = {
  ...ours,
  name: 'formsubmit',
  accepted: (submission) => ({
    ...ours.accepted(submission),
    success: 'true',
    message: 'The form was submitted successfully.',
  }),
  refused: (_, __, problem) => ({ ...problem, success: 'false', message: problem.error }),
};
