/** The first run: from nothing to the first submission. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

// The three steps
export const pageTitle = 'Your first form';
export const pageDescription = 'From here to the first submission takes about a minute.';
export const nameAProject = 'Name a project';
export const projectDescription = 'Usually the website your forms are on.';
export const websiteExample = 'Website';
export const createProject = 'Create project';
export const nameAForm = 'Name a form';
export const formDescription = 'It gets its own address that your page posts to.';
export const contactExample = 'Contact';
export const createForm = 'Create form';
export const putItIntoYourPage = 'Add it to your page';
export const received = 'Received';

// Waiting for the submission
export const arrived = 'Your first submission has arrived';
export const arrivedAt = (time: ReactNode): ReactNode => sentence`Received ${time}, stored and safe.`;
export const seeIt = 'See it';
export const waiting = 'Waiting for your first submission…';
export const quarantined = 'One arrived, but went to quarantine';
export const quarantinedWhy =
  'It filled in the hidden field that catches bots. A browser may have done so by itself, or your page shows the field.';
export const openQuarantine = 'Open quarantine';
export const rejected = (reason: string): string => `One arrived, but was rejected: ${reason}`;
export const seeWhy = 'See why';
export const sendOne = 'Send one for me';
export const testRejected = 'The test submission was rejected';

// A step
export const done = 'Done';
export const nameMissing = 'Give it a name';
