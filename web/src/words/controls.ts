/** Small components shared by many pages. */
import type { ReactNode } from 'react';
import { count } from './format.js';
import { sentence } from './sentence.js';

// Asking for a name
export const nameMissing = 'Give it a name';

// Confirming by typing
export const typeToConfirm = (phrase: ReactNode): ReactNode => sentence`Type ${phrase} to confirm`;

// Copying
export const copyingNotAllowed = 'The browser does not allow copying here. Select the text instead.';
export const copyTime = (local: string, utc: string): string => `${local} · ${utc} · click to copy`;

// A secret
export const copySecret = (secret: string): string => `Copy ${secret}`;
export const hideSecret = (secret: string): string => `Hide ${secret}`;
export const showSecret = (secret: string): string => `Show ${secret}`;

// A list to choose from
export const chosen = 'Set';
export const findInList = 'Find';
export const nothingFound = 'No matches';

// Filter of a list
export const clearFilter = (name: string): string => `Clear filter: ${name}`;

// Selection in a list
export const selectAll = 'Select all that are shown';
export const selected = (rows: number): string => count(rows, { one: '# selected', other: '# selected' });
export const selectNone = 'Select none';

// A visitor's browser
export const browser = (name: string, version: string): string => `${name} ${version}`;
export const browserOn = (name: string, version: string, system: string): string =>
  `${name} ${version} on ${system}`;
