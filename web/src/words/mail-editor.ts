/** The e-mail editor and its preview. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

export const subject = 'Subject';
export const text = 'Text';
export const html = 'HTML';
export const htmlDescription = 'Empty makes it from the text. Values are escaped.';
export const preview = 'Preview';
export const previewAs = 'Preview as';
export const looks = { desktop: 'Desktop', phone: 'Phone', dark: 'Dark', text: 'Plain text' } as const;
export const from = 'From';
export const to = 'To';
export const cc = 'Cc';
export const replyTo = 'Reply to';
export const noSender = 'No mail server is set';
export const nobody = 'Nobody yet';
export const shownOn = 'Submission shown';
export const newest = 'Newest submission';
export const sample = 'A sample, because there is no submission yet.';
export const lastGood = 'The preview shows the last version without errors.';
export const noPreview = 'There is no preview yet.';
export const sendMeATest = 'Send me a test';
export const testSent = (address: ReactNode): ReactNode =>
  sentence`The mail server accepted the test to ${address}.`;
export const testNotSent = 'The test was not sent';
export const mailTo = (address: string): string => address.replace(/^mailto:/, '');
export const digestLayout =
  'A digest lists all submissions in a layout of its own: subject, text and HTML are not used.';
export const language = 'Language';
export const languageDescription = 'The language of what Inlet adds to your text.';
export const languages = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
  { value: 'fr', label: 'Français' },
  { value: 'es', label: 'Español' },
  { value: 'zh', label: '简体中文' },
] as const;
export const usualLanguage = languages[0].value;

// Recipients by the value of a field
export const routeField = 'Field';
export const routeFieldExample = 'department';
export const routeValueExample = 'Sales';
export const routeValue = (n: number): string => `Value ${n}`;
export const routeAddresses = (n: number): string => `Addresses for value ${n}`;
export const addValue = 'Add a value';
export const removeValue = (n: number): string => `Remove value ${n}`;
export const otherwise = 'Every other value';

// Replies
export const replyChoices = { visitor: 'The visitor', none: 'Nobody', address: 'An address' } as const;
export const replyAddress = 'Address for replies';

// Digests
export const every = { off: 'Off', hour: 'Hourly', day: 'Daily', week: 'Weekly' } as const;
export const hour = 'Hour';
export const weekday = 'Day';
export const timeZone = 'Time zone';
export const timeZoneExample = 'Europe/Berlin';
