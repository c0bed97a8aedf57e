/** Sign-in, set-up, and the page for unknown URLs. */
import type { ReactNode } from 'react';
import { count } from './format.js';
import { sentence } from './sentence.js';

// Unknown URL
export const noSuchPage = 'There is no such page';
export const noSuchPageReason = 'The address may be mistyped, or the page was deleted.';
export const goToTheOverview = 'Go to the overview';

// Set up
export const alreadySetUp = 'Already set up';
export const alreadySetUpHint = (signIn: ReactNode): ReactNode =>
  sentence`This instance has its first user. ${signIn}`;
export const signIn = 'Sign in';
export const linkIncomplete = 'The link is incomplete';
export const linkIncompleteHint = (ending: ReactNode): ReactNode =>
  sentence`Copy the whole link that Inlet printed when it started, including ${ending} at its end.`;
export const setUpInlet = 'Set up Inlet';
export const setUpDescription = 'Create the first user. You can add more people later.';
export const password = 'Password';
export const passwordRule = 'At least 10 characters.';
export const createAccount = 'Create account';

// The window's title
export const windowTitle = (title: string): string => `${title} · Inlet`;

// Sign in again
export const sessionExpired = 'Your session has expired';
export const sessionExpiredHint = 'Sign in again to continue. Nothing you entered is lost.';

// The form
export const signInFailed = 'Signing in failed.';
export const tooManyAttempts = 'Too many attempts. Wait a while, then try again.';
export const tooManyAttemptsFor = (n: number): string =>
  count(n, {
    one: 'Too many attempts. Try again in # second.',
    other: 'Too many attempts. Try again in # seconds.',
  });
export const signInSlow = 'Still signing in. This can take up to half a minute while many attempts are made.';
export const passwordForgotten = (command: ReactNode): ReactNode =>
  sentence`Forgotten? The operator of this instance can set a new one with ${command}.`;

export const forgotPassword = 'Forgot your password?';

// Before the first user exists
export const setUpFirst = 'Finish setting up Inlet';
export const setUpFirstHint = (part: ReactNode): ReactNode =>
  sentence`Open the set-up link that Inlet printed when it started. It contains ${part}. Inlet prints a new link at every start until the first user exists.`;
