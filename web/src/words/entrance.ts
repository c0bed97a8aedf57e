/** The pages behind e-mailed links, and the second step of sign-in. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

// A link
export const linkIncomplete = 'The link is incomplete';
export const linkIncompleteHint = 'Copy the whole link from the e-mail, including the part after the #.';
export const backToSignIn = 'Back to sign-in';

// A new password
export const forgotTitle = 'Forgot your password?';
export const forgotDescription =
  'Enter the address you sign in with. If it has a login, you get an e-mail with a link to set a new password.';
export const requestLink = 'Send the link';
export const linkRequested = 'Check your e-mail';
export const linkRequestedHint = (email: ReactNode): ReactNode =>
  sentence`If ${email} has a login here, an e-mail with a link is on its way. The link works once, within 60 minutes.`;
export const noMailServer = 'This instance can’t send e-mail';
export const noMailServerHint = (command: ReactNode): ReactNode =>
  sentence`Ask its operator to set a new password with ${command}.`;
export const resetTitle = 'Set a new password';
export const resetDescription = 'This signs you out everywhere. Then sign in with the new password.';
export const newPassword = 'New password';
export const passwordRule = 'At least 10 characters.';
export const setPassword = 'Set password';
export const passwordSet = 'Your password was changed';
export const passwordSetHint = (email: ReactNode): ReactNode => sentence`Sign in as ${email} to continue.`;
export const signIn = 'Sign in';

// Another address
export const confirmTitle = 'Confirm your new address';
export const confirmDescription = 'From then on you sign in with the address that got this link.';
export const confirm = 'Confirm';
export const confirmed = 'Your address was changed';
export const confirmedHint = (email: ReactNode): ReactNode =>
  sentence`You sign in with ${email} from now on.`;
export const goToDashboard = 'Go to the dashboard';

// An invitation
export const invitationInvalid = 'This invitation cannot be used';
export const invitationTitle = 'Accept the invitation';
export const invitationDescription = (account: ReactNode, email: ReactNode): ReactNode =>
  sentence`You are invited to ${account} as ${email}.`;
export const choosePassword = 'Choose a password';
export const joinNew = 'Accept and sign in';
export const haveLogin = 'I already have a login with this address';
export const haveNoLogin = 'I am new here';
export const join = 'Accept';
export const otherAddress = (email: ReactNode): ReactNode =>
  sentence`You are signed in as ${email}, and the invitation is for another address. Sign out to accept it.`;
export const signOut = 'Sign out';

// Passkeys
export const withPasskey = 'Sign in with a passkey';
export const usePasskey = 'Use a passkey';
export const passkeyDismissed = 'No passkey was used.';

// The second factor
export const secondFactorHint = 'Your authenticator app shows a code of six digits.';
export const code = 'Code';
export const recoveryCode = 'Recovery code';
export const recoveryHint = 'Each recovery code works once.';
export const useRecovery = 'Use a recovery code';
export const useApp = 'Use the authenticator app';
export const continueSignIn = 'Continue';
export const startAgain = 'Start again';

// A second factor that the account requires
export const addFactor = 'Set up a second factor';
export const addFactorDescription = (account: string): string =>
  `The account ${account} requires two factors. Add an authenticator app or a passkey to continue.`;
