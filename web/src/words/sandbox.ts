/** Sandbox mode, shown while embedding a form. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

export const sandboxNotice = (switchToLive: ReactNode): ReactNode =>
  sentence`This form is in sandbox mode: pages on localhost may post to it, but only from this machine. When your page is published, ${switchToLive}.`;
export const switchToLive = 'switch it to live';
export const live = 'The form is live';
export const notLive = 'The form was not changed';
