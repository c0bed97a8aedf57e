/** The contract of every verifier (src/ports/captcha.ts), whatever the origin of the token. */
import { describe, expect, it } from 'vitest';
import type { CaptchaCheck, CaptchaVerifier } from '../../src/ports/captcha.js';

export interface CaptchaHarness {
  readonly verifier: CaptchaVerifier;
  /** A new check with a valid token. */
  good(): Promise<CaptchaCheck>;
}

const nested = (depth: number): string => `${'{"challenge":'.repeat(depth)}1${'}'.repeat(depth)}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const hostileTokens: readonly (readonly [string, string])[] = [
  ['an empty one', ''],
  ['noise', '\u0000\ud800 %00&secret=mine&response=other\r\nX: y'],
  ['a megabyte', 'x'.repeat(1024 * 1024)],
  ['a megabyte of nested JSON', base64(nested(60_000))],
  ['deep JSON', base64(nested(200))],
  ['a bare value', base64('null')],
  ['a list', base64('[[[]]]')],
  ['names of prototypes', base64('{"__proto__":{"challenge":1},"constructor":{"prototype":{}}}')],
  ['numbers for objects', base64('{"challenge":7,"solution":NaN}')],
];

export function captchaContract(name: string, make: () => CaptchaHarness): void {
  describe(`captcha: ${name}`, () => {
    it('lets a good token pass once', async () => {
      const { verifier, good } = make();
      const check = await good();
      expect(await verifier.verify(check)).toBe('passed');
      expect(await verifier.verify(check)).toBe('failed');
    });

    it('lets one of many pass that come with a token at the same moment', async () => {
      const { verifier, good } = make();
      const check = await good();
      const verdicts = await Promise.all(Array.from({ length: 10 }, () => verifier.verify(check)));
      expect(verdicts.filter((verdict) => verdict === 'passed')).toHaveLength(1);
      expect(verdicts.filter((verdict) => verdict === 'failed')).toHaveLength(9);
    });

    it.each(hostileTokens)('refuses %s', async (_, token) => {
      const { verifier, good } = make();
      expect(await verifier.verify({ ...(await good()), token })).toBe('failed');
    });

    it('refuses a good token with something added', async () => {
      const { verifier, good } = make();
      const check = await good();
      expect(await verifier.verify({ ...check, token: `${'A'.repeat(8)}${check.token}` })).toBe('failed');
      expect(await verifier.verify(check)).toBe('passed');
    });
  });
}
