/** Errors about invitations, links by mail, sessions and second factors. */
import { entry } from './error-entry.js';

export const signInErrors = {
  invalid_link: entry(
    'forbidden',
    'This link is not valid any more',
    'The link was used before, has expired, or a later change voided it.',
    'Request a new one.',
  ),
  invalid_invitation: entry(
    'forbidden',
    'This invitation is not valid any more',
    'The invitation was accepted or revoked, or it has expired.',
    'Ask for a new invitation.',
  ),
  invitation_for_another_address: entry(
    'forbidden',
    'This invitation is for another e-mail address',
    'The session is that of a user with another e-mail address.',
    'Sign out, then open the link again.',
  ),
  invitation_not_found: entry(
    'not_found',
    'Invitation not found',
    'The account has no open invitation with this id.',
    'List the invitations.',
  ),
  too_many_invitations: entry(
    'conflict',
    'An account can have at most {limit} open invitations',
    'The account has the maximum number of open invitations.',
    'Revoke invitations that nobody needs any more.',
  ),
  no_mail_server: entry(
    'conflict',
    'This instance has no mail server',
    'The operation sends a mail, and the operator has set no mail server.',
    'Ask the operator to set SMTP_URL and MAIL_FROM.',
  ),
  mail_not_sent: entry(
    'unavailable',
    'The mail could not be sent. Please try again later.',
    'The mail server did not take the mail.',
    'Check the address, and try again later. The log has what the mail server said.',
  ),
  session_not_found: entry(
    'not_found',
    'Session not found',
    'You have no session with this id, or it has ended.',
    'List your sessions.',
  ),
  second_factor_required: entry(
    'unauthenticated',
    'A second factor is required',
    'The password is right, and the login has a second factor. You are not signed in yet.',
    'Send `pending_token` with one of the `factors` within `expires_in` seconds.',
  ),
  second_factor_missing: entry(
    'forbidden',
    'Set up a second factor first',
    'The account requires two factors, and your login has only a password.',
    'Set up an authenticator app or a passkey in “Your account”.',
  ),
  wrong_second_factor: entry(
    'forbidden',
    'The code is wrong or was used before',
    'The code is not of this moment, or it was used before.',
    'Enter the code that the app shows now, or a recovery code that you have not used.',
  ),
  sign_in_expired: entry(
    'unauthenticated',
    'Signing in took too long. Start again.',
    'The `pending_token` is unknown or older than 5 minutes, or the password was changed.',
    'Sign in with the password again.',
  ),
  authenticator_exists: entry(
    'conflict',
    'An authenticator app is already set up',
    'The login has an authenticator app.',
    'Remove it before you set up another one.',
  ),
  wrong_passkey: entry(
    'forbidden',
    'This passkey was not accepted',
    'The passkey is not known here, was removed, or its response is not valid.',
    'Use another passkey, or sign in with your password.',
  ),
  passkey_not_found: entry(
    'not_found',
    'Passkey not found',
    'Your login has no passkey with this id.',
    'List your second factors.',
  ),
  too_many_passkeys: entry(
    'conflict',
    'A login can have at most {limit} passkeys',
    'The login has the maximum number of passkeys.',
    'Remove passkeys that you no longer use.',
  ),
  no_second_factor: entry(
    'conflict',
    'There is no second factor',
    'The operation needs a second factor, and the login has none.',
    'Set up an authenticator app first.',
  ),
} as const;
