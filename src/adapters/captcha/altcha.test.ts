import type { Challenge } from 'altcha-lib';
import { describe, expect, it } from 'vitest';
import { decoded, encoded, solved } from '../../../test/support/altcha.js';
import { createAltcha } from './altcha.js';

const minute = 60_000;

function altchaWith({ key = 1, difficulty = 2 } = {}) {
  let ahead = 0;
  const spent: (readonly [string, number])[] = [];
  const altcha = createAltcha({
    key: Buffer.alloc(32, key),
    difficulty,
    clock: { now: () => Date.now() + ahead },
    async spend(id, expiresAt) {
      if (spent.some(([known]) => known === id)) return false;
      spent.push([id, expiresAt]);
      return true;
    },
  });
  const verify = (token: string, formId = 'form') =>
    altcha.verify({
      provider: 'altcha',
      siteKey: null,
      secretKey: null,
      token,
      remoteIp: '192.0.2.1',
      formId,
    });
  const pass = (ms: number): void => {
    ahead += ms;
  };
  return { altcha, verify, pass, spent };
}

describe('a challenge', () => {
  it('has the shape that the widget knows', async () => {
    const { altcha } = altchaWith();
    const before = Math.floor(Date.now() / 1_000);
    const challenge = JSON.parse(await altcha.challenge('the form')) as Challenge;
    expect(challenge).toEqual({
      parameters: {
        algorithm: 'PBKDF2/SHA-256',
        cost: 2_000,
        data: { form: 'the form' },
        expiresAt: expect.any(Number),
        keyLength: 32,
        keyPrefix: expect.stringMatching(/^[0-9a-f]{32}$/),
        keySignature: expect.stringMatching(/^[0-9a-f]{64}$/),
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
        salt: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((challenge.parameters.expiresAt ?? 0) - before).toBeGreaterThanOrEqual(599);
    expect((challenge.parameters.expiresAt ?? 0) - before).toBeLessThanOrEqual(601);
  });

  it('takes between half and one and a half times the difficulty', async () => {
    const { altcha } = altchaWith({ difficulty: 10 });
    for (let i = 0; i < 20; i += 1) {
      const { solution } = decoded(await solved(await altcha.challenge('form')));
      expect(solution.counter).toBeGreaterThanOrEqual(5);
      expect(solution.counter).toBeLessThanOrEqual(15);
    }
  });
});

describe('a solution', () => {
  it('passes, and is remembered for as long as it could pass again', async () => {
    const { altcha, verify, spent } = altchaWith();
    const token = await solved(await altcha.challenge('form'));
    expect(await verify(token)).toBe('passed');
    const { nonce, expiresAt } = decoded(token).challenge.parameters;
    expect(spent).toEqual([[nonce, expiresAt * 1_000]]);
    expect(await verify(token)).toBe('failed');
  });

  it('written in another way is the same solution', async () => {
    const { altcha, verify } = altchaWith();
    const token = await solved(await altcha.challenge('form'));
    expect(await verify(token)).toBe('passed');
    const { challenge, solution } = decoded(token);
    const changed = [
      encoded({ solution, challenge, more: 1 }),
      encoded({ challenge: { ...challenge, more: 1 }, solution: { ...solution, time: 7 } }),
      encoded({ challenge: { ...challenge, parameters: { ...challenge.parameters, x: 1 } }, solution }),
      token.replace(/=+$/, ''),
      encoded({ challenge, solution: { ...solution, counter: solution.counter + 1 } }),
    ];
    for (const other of changed) expect(await verify(other)).toBe('failed');
  });

  it('passes until its time is over', async () => {
    const { altcha, verify, pass, spent } = altchaWith();
    const [early, late] = [await altcha.challenge('form'), await altcha.challenge('form')];
    pass(9 * minute);
    expect(await verify(await solved(early))).toBe('passed');
    pass(minute);
    expect(await verify(await solved(late))).toBe('failed');
    expect(spent).toHaveLength(1);
  });

  it('passes at its own form alone, and is not spent at another', async () => {
    const { altcha, verify } = altchaWith();
    const token = await solved(await altcha.challenge('form'));
    expect(await verify(token, 'another')).toBe('failed');
    expect(await verify(token)).toBe('passed');
  });

  it('of another instance does not pass', async () => {
    const token = await solved(await altchaWith({ key: 2 }).altcha.challenge('form'));
    expect(await altchaWith().verify(token)).toBe('failed');
  });
});

describe('a forged token', () => {
  type Members = Record<string, unknown>;
  const changes: readonly (readonly [string, (parameters: Members, solution: Members) => void])[] = [
    ['a later end', (p) => Object.assign(p, { expiresAt: Number(p.expiresAt) + 600 })],
    ['no end', (p) => delete p.expiresAt],
    ['an end that is no number', (p) => Object.assign(p, { expiresAt: 'never' })],
    ['an end in no time', (p) => Object.assign(p, { expiresAt: 1e308 })],
    ['no key signature', (p) => delete p.keySignature],
    ['a cost of a billion', (p) => Object.assign(p, { cost: 1e9 })],
    ['a cost without a key signature', (p) => Object.assign(p, { cost: 1e9, keySignature: undefined })],
    ['a negative cost', (p) => Object.assign(p, { cost: -1 })],
    ['a cost that is a text', (p) => Object.assign(p, { cost: '2000' })],
    ['a long key', (p) => Object.assign(p, { keyLength: 1e9 })],
    ['another algorithm', (p) => Object.assign(p, { algorithm: 'SHA-256' })],
    ['an empty prefix', (p) => Object.assign(p, { keyPrefix: '' })],
    ['a salt that is a list', (p) => Object.assign(p, { salt: [p.salt] })],
    ['data that is a list', (p) => Object.assign(p, { data: ['form'] })],
    ['another nonce', (p) => Object.assign(p, { nonce: '0'.repeat(32) })],
    ['a nonce in capitals', (p) => Object.assign(p, { nonce: String(p.nonce).replace(/.$/, 'A') })],
    ['another key', (_, s) => Object.assign(s, { derivedKey: '0'.repeat(64) })],
    ['half a key', (p, s) => Object.assign(s, { derivedKey: p.keyPrefix })],
    ['a negative counter', (_, s) => Object.assign(s, { counter: -1 })],
    ['a huge counter', (_, s) => Object.assign(s, { counter: 1e300 })],
    ['half a counter', (_, s) => Object.assign(s, { counter: 0.5 })],
  ];

  it.each(changes)('with %s does not pass and spends nothing', async (_, change) => {
    const { altcha, verify, spent } = altchaWith();
    const { challenge, solution } = decoded(await solved(await altcha.challenge('form')));
    change(challenge.parameters, solution);
    expect(await verify(encoded({ challenge, solution }))).toBe('failed');
    expect(spent).toEqual([]);
  });

  it.each([undefined, null, '', 0, '0'.repeat(64), 'x'.repeat(64), ['0'.repeat(64)]])(
    'with the signature %j does not pass',
    async (signature) => {
      const { altcha, verify } = altchaWith();
      const { challenge, solution } = decoded(await solved(await altcha.challenge('form')));
      expect(await verify(encoded({ challenge: { ...challenge, signature }, solution }))).toBe('failed');
    },
  );
});
