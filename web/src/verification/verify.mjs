import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(rawBody, signature, previous, secret) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`);
  return [signature, previous].some((header) => {
    const given = Buffer.from(header ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
