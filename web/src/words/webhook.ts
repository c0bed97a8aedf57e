/** The webhook of a project or form: its URL, its secret, and how to verify its signature. */
import type { ReactNode } from 'react';
import { sentence } from './sentence.js';

// Signing secret
export const rotate = 'Rotate';
export const rotated = 'The secret was rotated. Update it at your endpoints.';
export const rotateFailed = 'The secret was not rotated';
export const rotateNow = 'Rotate secret';
export const rotateTitle = 'Rotate the secret';
export const rotateWarning =
  'A new secret signs from now on, for the project and all its forms. The old one stays valid for 24 hours, so you can update your endpoints without missing anything.';
export const signingSecret = 'Signing secret';
export const signingSecretHelp =
  'Your endpoint uses it to verify that a request comes from Inlet. The project and its forms share it.';
/** For use within a sentence. */
export const theSigningSecret = 'signing secret';

// URL and test
export const noResponse = (duration: string, cause: string): string => `No response in ${duration}: ${cause}`;
export const testedAt = (time: ReactNode): ReactNode => sentence`Tested ${time}`;
export const returned = (status: number, duration: string): string =>
  `Your endpoint returned ${status} in ${duration}.`;
export const sendTest = 'Send a test';
export const testFailed = 'The test was not sent';
export const unknownCause = 'unknown cause';
export const webhookUrl = 'Webhook URL';

// Verification code
export const readGuide = 'Read the guide';
export const verificationCode = 'Verification code';
export const verificationCodeIn = (language: string): string => `Verification code: ${language}`;
export const verificationHelp =
  'Pass the body as it arrived, before anything parses it, and the headers X-Webhook-Signature and X-Webhook-Signature-Previous.';
