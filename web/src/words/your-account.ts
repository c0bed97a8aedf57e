/** Settings of the user's own login. */
import type { ReactNode } from 'react';
import { count } from './format.js';
import { sentence } from './sentence.js';

export const yourAccount = 'Your account';
export const pageDescription = (email: ReactNode): ReactNode => sentence`You sign in as ${email}.`;

// Address
export const emailAddress = 'E-mail address';
export const emailDescription =
  'We mail a link to the new address. Until you open it, you sign in with the one you have now.';
export const newEmail = 'New e-mail address';
export const emailMissing = 'Enter an e-mail address';
export const currentPassword = 'Current password';
export const currentPasswordMissing = 'Enter the password you have now';
export const changeEmail = 'Change address';
export const emailRequested = (email: string): string => `A link is on its way to ${email}`;

// Passkeys
export const passkeys = 'Passkeys';
export const passkeysDescription =
  'Sign in with the fingerprint, face or PIN of your device instead of a password. Each passkey also counts as a second factor.';
export const passkeysNowhere =
  'This browser or this address does not support passkeys. They need https and a domain name, or localhost.';
export const addPasskey = 'Add a passkey';
export const passkeyName = 'Name of the passkey';
export const passkeyNameHint = 'So that you recognise it, such as the name of your device.';
export const passkeyNameMissing = 'Give it a name';
export const passkeyAdded = 'The passkey was added';
export const passkeyDismissed = 'The browser added no passkey';
export const neverUsed = 'Never used';
export const added = 'Added';
export const rename = 'Rename';
export const renameNamed = (name: string): string => `Rename ${name}`;
export const renamed = 'The passkey was renamed';
export const remove = 'Remove';
export const removeNamed = (name: string): string => `Remove ${name}`;
export const removePasskey = 'Remove the passkey';
export const passkeyRemoved = 'The passkey was removed';

// Sessions
export const sessions = 'Where you are signed in';
export const sessionsDescription = 'End a session that you do not recognise, then change your password.';
export const thisBrowser = 'This browser';
export const unknownBrowser = 'Unknown browser';
export const browser = 'Browser';
export const ipAddress = 'IP address';
export const lastUsed = 'Last used';
export const signedInAt = 'Signed in';
export const signOutHere = 'Sign out';
export const signOutNamed = (browser: string): string => `Sign out ${browser}`;
export const signOutElsewhere = 'Sign out everywhere else';
export const sessionEnded = 'The session was ended';
export const sessionsEnded = 'You are signed out everywhere else';
export const notEnded = 'The session was not ended';

// Two factors
export const twoFactors = 'Two-factor sign-in';
export const twoFactorsDescription =
  'With an authenticator app, a password alone is not enough to sign in as you.';
export const setUpApp = 'Set up an authenticator app';
export const appIsSetUp = 'An authenticator app is set up.';
export const codesLeft = (n: number): string =>
  count(n, { one: '# recovery code left', other: '# recovery codes left' });
export const newCodes = 'New recovery codes';
export const removeApp = 'Remove the app';
export const appRemoved = 'The authenticator app was removed';
export const confirmPassword = 'Enter your password to continue.';
export const continueWord = 'Continue';
export const scanTitle = 'Scan the QR code';
export const scanHint = 'Scan it with your authenticator app, or type the key into it.';
export const qrCode = 'QR code for your authenticator app';
export const key = 'Key';
export const codeFromApp = 'Code from the app';
export const codeWrong = 'Enter the six digits that the app shows';
export const turnOn = 'Turn on';
export const recoveryCodes = 'Recovery codes';
export const recoveryCodesHint =
  'Save these codes where only you find them. Each works once if you lose your phone. They are shown only now.';
export const saved = 'I have saved them';
