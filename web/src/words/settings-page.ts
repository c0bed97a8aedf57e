/** Shared by all settings pages. */
import type { ReactNode } from 'react';
import { count } from './format.js';
import { sentence } from './sentence.js';

export const learnMoreAbout = (title: string): string => `Learn more about ${title}`;

// Save bar
export const checkFields = 'Not saved. Check the marked fields.';
export const notSaved = (reason: string): string => `Not saved. ${reason}`;
export const saved = 'Saved';
export const unsavedChanges = 'Unsaved changes';
export const unsavedChangesHint = 'You have unsaved changes.';

// E-mail of the instance
export const noMail = 'This instance can’t send e-mail yet';
export const noMailHelp = (url: ReactNode, sender: ReactNode): ReactNode =>
  sentence`Set ${url} and ${sender}, then restart Inlet.`;

// Deliveries waiting for a URL
export const waitingCancelled = (deliveries: number): string =>
  count(deliveries, {
    one: '# waiting delivery will be cancelled.',
    other: '# waiting deliveries will be cancelled.',
  });
export const waitingSent = (deliveries: number): string =>
  count(deliveries, {
    one: '# waiting delivery will be sent to the new URL.',
    other: '# waiting deliveries will be sent to the new URL.',
  });

export const sections = 'Sections of the settings';
