/** Errors about roles: who can do what in an account. */
import { entry } from './error-entry.js';

export const roleErrors = {
  role_not_sufficient: entry(
    'forbidden',
    'Your role does not allow this',
    'The operation needs a permission that the role of the signed-in user does not have.',
    'Ask an owner of the account to do it, or to give you another role.',
  ),
  account_access_required: entry(
    'forbidden',
    'This needs access to the whole account',
    'The operation concerns the whole account, and the user or the API key is limited to some of its projects.',
    'Use a key that is not limited to projects, or ask an owner for a role in the whole account.',
  ),
  account_not_found: entry(
    'not_found',
    'Account not found',
    'You have no user in the account with this id.',
    'Take an id from `accounts` of `GET /session`.',
  ),
  last_owner: entry(
    'conflict',
    'The last owner of an account cannot be deleted or get another role',
    'Nobody could manage the users of the account any more.',
    'Make another user an owner first.',
  ),
} as const;
