/** StaticForms: `/submit` like Web3Forms, with `apiKey` (formerly `accessKey`) in the body. */
import { type Dialect, ours, steering } from './dialect.js';

const steers = steering(['apiKey', 'accessKey', 'replyTo', 'redirectTo', 'subject']);

export const staticforms: Dialect = {
  ...ours,
  name: 'staticforms',
  // Any name with this word in it is a honeypot.
  steers: (name) => (/honeypot/i.test(name) ? '_honeypot' : steers(name)),
  accepted: (submission) => ({ ...ours.accepted(submission), message: 'Form submitted successfully' }),
  refused: (_, __, problem) => ({ ...problem, success: false, message: problem.error }),
};
