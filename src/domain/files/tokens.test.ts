import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../kernel/secrets.js';
import { createFileTokens, type TokenPurpose, type TokenScope } from './tokens.js';

const tokens = createFileTokens(deriveKey('master', 'file tokens'));
const ids = fc.uuid({ version: 7 });
const purposes = fc.constantFrom<TokenPurpose[]>('access', 'content');
const scope = (fileId: string, purpose: TokenPurpose, transformation: string | null = null): TokenScope => ({
  fileId,
  purpose,
  transformation,
});
const instants = fc.integer({ min: 1, max: 8.64e15 });

describe('file tokens', () => {
  it('are good for their file and purpose until the expiry, and not in that millisecond', () => {
    fc.assert(
      fc.property(ids, purposes, instants, (id, purpose, expiresAt) => {
        const token = tokens.mint(scope(id, purpose), expiresAt);
        expect(tokens.isGood(token, scope(id, purpose), expiresAt - 1)).toBe(true);
        expect(tokens.isGood(token, scope(id, purpose), expiresAt)).toBe(false);
        expect(tokens.isGood(token, scope(id, purpose), expiresAt + 1)).toBe(false);
      }),
    );
  });

  it('tell when they expire', () => {
    fc.assert(
      fc.property(ids, purposes, instants, (id, purpose, expiresAt) => {
        expect(tokens.expiryOf(tokens.mint(scope(id, purpose), expiresAt))).toBe(Math.floor(expiresAt));
      }),
    );
  });

  it('are bad for any other file or purpose', () => {
    fc.assert(
      fc.property(ids, ids, purposes, instants, (id, other, purpose, expiresAt) => {
        fc.pre(id !== other);
        const token = tokens.mint(scope(id, purpose), expiresAt);
        expect(tokens.isGood(token, scope(other, purpose), 0)).toBe(false);
        expect(tokens.isGood(token, scope(id, purpose === 'access' ? 'content' : 'access'), 0)).toBe(false);
      }),
    );
  });

  it('are bound to their transformation, and those without one are good for none', () => {
    const transformations = fc.option(
      fc.constantFrom('400,,cover,80,', '400,,cover,80,webp', ',,cover,80,png'),
      {
        nil: null,
      },
    );
    fc.assert(
      fc.property(ids, purposes, transformations, transformations, (id, purpose, mine, other) => {
        const token = tokens.mint(scope(id, purpose, mine), 1e13);
        expect(tokens.isGood(token, scope(id, purpose, other), 0)).toBe(mine === other);
      }),
    );
  });

  it('are bad with another expiry', () => {
    fc.assert(
      fc.property(ids, purposes, instants, instants, (id, purpose, expiresAt, later) => {
        fc.pre(expiresAt !== later);
        const [, signature] = tokens.mint(scope(id, purpose), expiresAt).split('.');
        expect(tokens.isGood(`${later.toString(36)}.${signature}`, scope(id, purpose), 0)).toBe(false);
      }),
    );
  });

  it('are bad when a single character is changed, added or missing', () => {
    const characters = fc.constantFrom(...'0129abyzABYZ-_.+/= \n');
    fc.assert(
      fc.property(ids, purposes, instants, fc.nat(), characters, (id, purpose, expiresAt, at, character) => {
        const token = tokens.mint(scope(id, purpose), expiresAt);
        const place = at % token.length;
        const [before, after] = [token.slice(0, place), token.slice(place + 1)];
        const changed = before + character + after;
        if (changed !== token) expect(tokens.isGood(changed, scope(id, purpose), 0)).toBe(false);
        expect(tokens.isGood(before + after, scope(id, purpose), 0)).toBe(false);
        expect(tokens.isGood(before + character + token.slice(place), scope(id, purpose), 0)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('are bad when another key signed them', () => {
    const others = createFileTokens(deriveKey('another master', 'file tokens'));
    expect(tokens.isGood(others.mint(scope('f', 'access'), 1e13), scope('f', 'access'), 0)).toBe(false);
  });

  it('are bad when they are no tokens at all', () => {
    for (const text of ['', '.', 'x', 'undefined', '0.', `.${'A'.repeat(43)}`, 'A'.repeat(100_000)]) {
      expect(tokens.isGood(text, scope('f', 'access'), 0)).toBe(false);
    }
  });

  it('travel in a query without encoding', () => {
    const token = tokens.mint(scope('f', 'access'), 1_769_860_800_007.9);
    expect(encodeURIComponent(token)).toBe(token);
    expect(tokens.isGood(token, scope('f', 'access'), 1_769_860_800_006)).toBe(true);
  });
});
