/**
 * The headers of a webhook request. Pure. The interface's signature is over the body alone, with the UTF-8 bytes of the
 * secret as the key; the three Standard Webhooks headers beside it sign id and time too, with the bytes that the
 * secret stands for in that scheme (`whsec_` + base64).
 */
import { createHmac } from 'node:crypto';

export interface SigningSecrets {
  readonly secret: string;
  /** Signs beside the new one until it expires. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
}

export interface SignedMessage {
  readonly messageId: string;
  readonly submissionId: string;
  readonly attempt: number;
  readonly body: string;
}

const hex = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function standardKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}

const standard = (secret: string, text: string): string =>
  `v1,${createHmac('sha256', standardKey(secret)).update(text).digest('base64')}`;

export function signedHeaders(
  { messageId, submissionId, attempt, body }: SignedMessage,
  { secret, previousSecret, previousSecretUntil }: SigningSecrets,
  now: number,
): Record<string, string> {
  const previous = previousSecretUntil !== null && previousSecretUntil > now ? previousSecret : null;
  const timestamp = Math.floor(now / 1000);
  const signed = `${messageId}.${timestamp}.${body}`;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-webhook-signature': hex(secret, body),
    'x-webhook-attempt': String(attempt),
    'x-submission-id': submissionId,
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard(secret, signed),
  };
  if (previous !== null) {
    headers['x-webhook-signature-previous'] = hex(previous, body);
    headers['webhook-signature'] += ` ${standard(previous, signed)}`;
  }
  return headers;
}
