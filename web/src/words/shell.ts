/** Texts around every page. They all load first, so texts of a single page belong in a file of their own. */
import type { ReactNode } from 'react';
import { count, formatNumber } from './format.js';
import { sentence } from './sentence.js';

// Failed requests
export const notReached = 'The server cannot be reached. Check your connection and that Inlet is running.';
export const serverReturned = (status: number): string => `The server returned ${status}`;
export const sessionExpired = 'Your session has expired. Sign in again.';
export const stillSignedIn = 'You are still signed in';

// Failed pages
export const loadAgain = 'Load again';
export const noConnection = 'No connection to the server';
export const notAllowed = 'Not allowed';
export const askAnOwner = (reason: string): string =>
  `${reason}. Ask an owner of the account for another role.`;
export const notFound = 'Not found';
export const notLoaded = 'This could not be loaded';
export const notShown = 'This could not be shown';
export const stoppedWorking = 'This page stopped working';
export const tooManyRequests = 'Too many requests';
export const updated = 'Inlet was updated';
export const updatedHelp = 'Load the page again to use the new version.';

// Dialogs
export const confirm = 'Confirm';
export const discardUnsaved = 'Discard unsaved changes?';
export const notSavedYet = 'Your changes on this page are not saved yet.';
export const stay = 'Stay on this page';

// Header
export const account = (name: string): string => `Account ${name}`;
export const commandKey = 'Ctrl K';
export const commandKeyOfApple = '⌘ K';
export const helpKey = 'Help (?)';
export const logo = 'Inlet, overview';
export const searchButton = 'Search or jump to…';
export const signedInAs = (user: ReactNode): ReactNode => sentence`Signed in as ${user}`;
export const yourAccount = 'Your account';

// Light or dark
export const chosen = 'chosen';
export const dark = 'Dark';
export const light = 'Light';
export const lightOrDark = 'Light or dark';
export const system = 'System';

// Frame of a page
export const allPages = 'All pages';
export const breadcrumbs = 'Breadcrumbs';
export const documentTitle = (title: string): string => `${title} · Inlet`;
export const mainPages = 'Main pages';
export const skipToContent = 'Skip to content';

// Bottom bar
export const more = 'More';
export const search = 'Search';

// Sidebar
export const formCount = (forms: number): string => count(forms, { one: '# form', other: '# forms' });
export const moreThan = (most: number): string => `${formatNumber(most)}+`;
export const needsAttention = 'needs attention';
export const unread = (submissions: string): string => `${submissions} unread`;
export const waiting = (submissions: number): string =>
  count(submissions, { one: '# waiting', other: '# waiting' });

// Changes to submissions
export const goneOrNotAllowed =
  'Submissions were deleted meanwhile, or your role does not allow changes to them.';
export const notAllChanged = 'Not all were changed';
export const notAllSetBack = 'Not everything was set back';
export const nothingChanged = 'Nothing was changed';
export const undo = 'Undo';
