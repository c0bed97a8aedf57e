/** Web3Forms: one URL for all forms, `/submit`; `access_key` in the body names the form. */
import { formNameFields } from '../../../model/fields.js';
import { type Dialect, ours, steering } from './dialect.js';

export const web3forms: Dialect = {
  ...ours,
  name: 'web3forms',
  steers: steering(
    ['apikey', 'subject', 'from_name', 'replyto', 'ccemail', 'redirect', 'webhook', formNameFields.web3forms],
    { recaptcha_response: 'g-recaptcha-response' },
  ),
  accepted: (submission) => ({
    ...ours.accepted(submission),
    message: 'Email sent successfully!',
    data: JSON.parse(submission.data) as unknown,
  }),
  refused: (_, __, problem) => ({ ...problem, success: false, message: problem.error }),
};
