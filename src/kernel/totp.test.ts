import { describe, expect, it } from 'vitest';
import { newTotpSecret, totpCode, totpStepAt, totpStepOf, totpUri } from './totp.js';

/** "12345678901234567890", the secret of RFC 6238. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('a code that changes with the time', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is the one of RFC 6238 at %i seconds', (seconds, code) => {
    expect(totpCode(secret, totpStepAt(seconds * 1000))).toBe(code);
  });

  it('is taken a step early and a step late, and not two', () => {
    const at = 1_234_567_890_000;
    const step = totpStepAt(at);
    const codes = [-2, -1, 0, 1, 2].map((shift) => totpCode(secret, step + shift));
    expect(codes.map((code) => totpStepOf(secret, code, at))).toEqual([null, step - 1, step, step + 1, null]);
  });

  it('has a new secret of 160 bits each time, and an address that apps read', () => {
    const made = newTotpSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(made);
    expect(totpUri({ secret: 'ABC', issuer: 'Inlet', name: 'ada@example.com' })).toBe(
      'otpauth://totp/Inlet%3Aada%40example.com?secret=ABC&issuer=Inlet',
    );
  });
});
