/** The hosted page, in a form's settings. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

export const hostedPage = 'Hosted page';
export const hostedPageDescription = 'A page with your form on it. You need no website of your own.';
export const showThePage = 'Show the form on a page of its own';
export const showThePageDescription = (address: string): string => `Visitors find it at ${address}`;
export const openThePage = 'Open the page';
export const opened = (link: ReactNode): ReactNode =>
  sentence`${link}. It has the logo and the colour of the thank-you page.`;
export const savedFirst = 'Save to see the page.';
export const noRules = 'This form has no field rules yet. The page shows its inputs once you add some.';
export const title = 'Page title';
export const titleDescription = 'Empty uses the name of the form.';
export const text = 'Introduction';
export const textDescription = 'Plain text above the fields.';
export const indexed = 'Let search engines list it';
export const indexedDescription = 'When off, the page asks them not to.';
export const embed = 'Embed it';
export const embedDescription =
  'Shows the page in a website and adjusts its height. It works on the allowed origins of the form.';
