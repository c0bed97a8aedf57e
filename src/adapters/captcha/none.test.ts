import { expect, it } from 'vitest';
import { noCaptcha } from './none.js';

it.each(['altcha', 'turnstile', 'hcaptcha', 'recaptcha'] as const)(
  'lets nobody pass and blames nobody with %s',
  async (provider) => {
    const check = { provider, secretKey: 's', token: 't', remoteIp: '192.0.2.1', formId: 'f' };
    expect(await noCaptcha().verify(check)).toBe('unavailable');
  },
);
