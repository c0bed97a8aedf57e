/** The signing secret of a project's webhooks. Its UTF-8 bytes, prefix included, are the HMAC key. */
import { randomBytes } from 'node:crypto';

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
