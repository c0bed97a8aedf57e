import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../kernel/secrets.js';
import { createFileTokens } from './tokens.js';

const tokens = createFileTokens(deriveKey('master', 'file tokens'));
const ids = fc.uuid({ version: 7 });
const purposes = fc.constantFrom('access', 'content');
const instants = fc.integer({ min: 1, max: 8.64e15 });

describe('file tokens', () => {
  it('are good for their file and purpose until the expiry, and not in that millisecond', () => {
    fc.assert(
      fc.property(ids, purposes, instants, (id, purpose, expiresAt) => {
        const token = tokens.mint(id, purpose, expiresAt);
        expect(tokens.isGood(token, id, purpose, expiresAt - 1)).toBe(true);
        expect(tokens.isGood(token, id, purpose, expiresAt)).toBe(false);
        expect(tokens.isGood(token, id, purpose, expiresAt + 1)).toBe(false);
      }),
    );
  });

  it('are bad for any other file or purpose', () => {
    fc.assert(
      fc.property(ids, ids, purposes, instants, (id, other, purpose, expiresAt) => {
        fc.pre(id !== other);
        const token = tokens.mint(id, purpose, expiresAt);
        expect(tokens.isGood(token, other, purpose, 0)).toBe(false);
        expect(tokens.isGood(token, id, purpose === 'access' ? 'content' : 'access', 0)).toBe(false);
      }),
    );
  });

  it('are bad with another expiry', () => {
    fc.assert(
      fc.property(ids, purposes, instants, instants, (id, purpose, expiresAt, later) => {
        fc.pre(expiresAt !== later);
        const [, signature] = tokens.mint(id, purpose, expiresAt).split('.');
        expect(tokens.isGood(`${later.toString(36)}.${signature}`, id, purpose, 0)).toBe(false);
      }),
    );
  });

  it('are bad when a single character is changed, added or missing', () => {
    const characters = fc.constantFrom(...'0129abyzABYZ-_.+/= \n');
    fc.assert(
      fc.property(ids, purposes, instants, fc.nat(), characters, (id, purpose, expiresAt, at, character) => {
        const token = tokens.mint(id, purpose, expiresAt);
        const place = at % token.length;
        const [before, after] = [token.slice(0, place), token.slice(place + 1)];
        const changed = before + character + after;
        if (changed !== token) expect(tokens.isGood(changed, id, purpose, 0)).toBe(false);
        expect(tokens.isGood(before + after, id, purpose, 0)).toBe(false);
        expect(tokens.isGood(before + character + token.slice(place), id, purpose, 0)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('are bad when another key signed them', () => {
    const others = createFileTokens(deriveKey('another master', 'file tokens'));
    expect(tokens.isGood(others.mint('f', 'access', 1e13), 'f', 'access', 0)).toBe(false);
  });

  it('are bad when they are no tokens at all', () => {
    for (const text of ['', '.', 'x', 'undefined', '0.', `.${'A'.repeat(43)}`, 'A'.repeat(100_000)]) {
      expect(tokens.isGood(text, 'f', 'access', 0)).toBe(false);
    }
  });

  it('travel in a query without encoding', () => {
    const token = tokens.mint('f', 'access', 1_769_860_800_007.9);
    expect(encodeURIComponent(token)).toBe(token);
    expect(tokens.isGood(token, 'f', 'access', 1_769_860_800_006)).toBe(true);
  });
});
