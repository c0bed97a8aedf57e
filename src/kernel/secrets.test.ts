import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSealer,
  deriveKey,
  hmacBase64Url,
  newToken,
  randomText,
  sameSecret,
  sha256Hex,
} from './secrets.js';

const key = deriveKey('master', 'test');
const texts = fc.string({ unit: 'binary', maxLength: 60 });
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('createSealer', () => {
  const sealer = createSealer(key);

  it('opens what it sealed, for any text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(sealer.open(sealer.seal(text))).toBe(text);
      }),
    );
  });

  it('seals the same text differently each time and hides it', () => {
    const plain = 'whsec_visible';
    const [one, two] = [sealer.seal(plain), sealer.seal(plain)];
    expect(one).not.toBe(two);
    expect(one.slice(3, 19)).not.toBe(two.slice(3, 19)); // the nonce
    expect(Buffer.from(one.slice(3), 'base64url').includes(plain)).toBe(false);
  });

  it('refuses a text in which any character was changed', () => {
    fc.assert(
      fc.property(
        texts,
        fc.nat(),
        fc.constantFrom(...alphabet, '+', '/', '=', ' '),
        (text, at, character) => {
          const sealed = sealer.seal(text);
          const place = at % sealed.length;
          fc.pre(sealed[place] !== character);
          expect(() => sealer.open(sealed.slice(0, place) + character + sealed.slice(place + 1))).toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses every other spelling of the last character', () => {
    for (const text of ['', 'a', 'ab']) {
      const sealed = sealer.seal(text);
      const rest = [...alphabet].filter((character) => character !== sealed.at(-1));
      for (const character of rest) {
        expect(() => sealer.open(sealed.slice(0, -1) + character)).toThrow();
      }
    }
  });

  it('refuses a shortened or lengthened text: a shorter tag would be easier to guess', () => {
    for (const text of ['', 'a', 'longer than a block of the cipher']) {
      const sealed = sealer.seal(text);
      for (let length = 0; length < sealed.length; length += 1) {
        expect(() => sealer.open(sealed.slice(0, length))).toThrow();
      }
      for (const more of ['A', '=', ' ', '\n', 'AAAA']) expect(() => sealer.open(sealed + more)).toThrow();
    }
  });

  it('refuses what another key sealed', () => {
    const other = createSealer(deriveKey('master', 'another purpose'));
    expect(() => sealer.open(other.seal('text'))).toThrow();
  });

  it('refuses an unknown scheme', () => {
    expect(() => sealer.open(sealer.seal('text').replace('v1.', 'v2.'))).toThrow('Unknown seal');
    expect(() => sealer.open('text')).toThrow('Unknown seal');
  });
});

describe('sameSecret', () => {
  it('is true for equal texts only, and takes unequal lengths', () => {
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        expect(sameSecret(left, right)).toBe(left === right);
        expect(sameSecret(left, left)).toBe(true);
        expect(sameSecret(left, `${left}\0`)).toBe(false);
      }),
    );
  });
});

describe('newToken', () => {
  it('is prefix, 40 letters and digits, and six more that follow from them', () => {
    const token = newToken('inlet_');
    expect(token).toMatch(/^inlet_[0-9A-Za-z]{46}$/);
    const body = token.slice(0, -6);
    // The rule that a secret scanner applies, implemented a second time.
    let value = Number.parseInt(sha256Hex(body).slice(0, 12), 16);
    let letters = '';
    for (let i = 0; i < 6; i += 1) {
      letters += '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'[value % 62];
      value = Math.floor(value / 62);
    }
    expect(token.slice(-6)).toBe(letters);
  });

  it('is never the same twice', () => {
    expect(new Set(Array.from({ length: 500 }, () => newToken('x'))).size).toBe(500);
  });
});

describe('randomText', () => {
  it('has the asked length over letters and digits, and uses all of them', () => {
    for (const length of [0, 1, 7, 40])
      expect(randomText(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    expect(new Set(randomText(10_000)).size).toBe(62);
  });
});

describe('deriveKey', () => {
  it('gives 32 bytes that are the same for the same purpose and differ for any other purpose or master', () => {
    expect(key).toHaveLength(32);
    expect(deriveKey('master', 'test')).toEqual(key);
    expect(deriveKey('master', 'tesu')).not.toEqual(key);
    expect(deriveKey('mastes', 'test')).not.toEqual(key);
  });

  it('never changes: stored secrets and issued tokens hang on it', () => {
    expect(deriveKey('master', 'test').toString('hex')).toMatchInlineSnapshot(
      `"18450c70e5383b956d92772312f32d00d6545c5139a01b0b89876698087715df"`,
    );
  });
});

describe('hashes', () => {
  it('are the well-known ones', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex(Buffer.from('abc'))).toBe(sha256Hex('abc'));
    expect(hmacBase64Url(key, 'ü')).toBe(createHmac('sha256', key).update('ü', 'utf8').digest('base64url'));
  });
});
