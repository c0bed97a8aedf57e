/** Errors about finding and erasing a person. */
import { entry } from './error-entry.js';

export const personErrors = {
  person_too_vague: entry(
    'unprocessable',
    'Too little to find a person by',
    '`q` has fewer than 3 letters or digits.',
    'Send an e-mail address, a phone number or a name.',
  ),
  person_search_running: entry(
    'conflict',
    'A search for a person is running already',
    'The account has another search or export of a person that has not ended.',
    'Wait until it has ended.',
  ),
  erasure_not_found: entry(
    'not_found',
    'Erasure not found',
    'The account has no erasure with this id.',
    'Check the id.',
  ),
  too_many_erasures: entry(
    'conflict',
    '{limit} erasures are running already',
    'The account has the maximum number of running erasures.',
    'Wait until one has finished.',
  ),
} as const;
