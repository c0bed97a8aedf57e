import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aProject } from '../../test/support/nouns.js';
import { isUuid, newId } from '../kernel/ids.js';
import { builtInId, ownerOfBuiltIn, purposeOf, readdressed, stateOf, unknownHealth } from './destination.js';

describe('the id of a built-in destination', () => {
  it('tells its owner and its kind, for owners of every release', () => {
    // In ids of the previous release, the variant is random too.
    const ownerIds = fc
      .tuple(fc.uuid({ version: 7 }), fc.constantFrom('8', '9', 'a', 'b'))
      .map(([id, variant]) => id.slice(0, 19) + variant + id.slice(20));
    fc.assert(
      fc.property(
        ownerIds,
        fc.constantFrom('webhook' as const, 'email' as const, 'reply' as const, 'confirmation' as const),
        (ownerId, name) => {
          const id = builtInId(ownerId, name);
          expect(isUuid(id)).toBe(true);
          expect(ownerOfBuiltIn(id)).toEqual({ ownerId, name });
        },
      ),
    );
  });

  it('is that of no other destination', () => {
    const ownerId = newId(Date.UTC(2031, 0, 1));
    expect(ownerOfBuiltIn(ownerId)).toBeNull();
    expect(builtInId(ownerId, 'webhook')).not.toBe(builtInId(ownerId, 'email'));
  });

  it('tells what its mails are about', () => {
    const ownerId = newId(Date.UTC(2031, 0, 1));
    expect(purposeOf(builtInId(ownerId, 'reply'))).toBe('reply');
    expect(purposeOf(builtInId(ownerId, 'confirmation'))).toBe('confirmation');
    for (const id of [ownerId, builtInId(ownerId, 'email')]) expect(purposeOf(id)).toBe('notification');
  });
});

it('built-in destinations send elsewhere when their setting changes', () => {
  const before = aProject({ webhookUrl: 'https://a.test/', notifyEmails: ['a@x.test'] });
  const { id } = before;
  expect(readdressed(before, { ...before, name: 'B', notifyEmails: ['a@x.test'] })).toEqual([]);
  expect(readdressed(before, { ...before, webhookUrl: null })).toEqual([builtInId(id, 'webhook')]);
  expect(readdressed(before, { ...before, notifyEmails: ['b@x.test'] })).toEqual([builtInId(id, 'email')]);
});

describe('the state of a destination', () => {
  const now = Date.UTC(2031, 0, 1);
  const hourMs = 60 * 60_000;
  it.each([
    ['ok', true, 0, null],
    ['ok', true, 9, now - hourMs + 1],
    ['failing', true, 10, now],
    ['failing', true, 1, now - hourMs],
    ['disabled', false, 0, null],
  ] as const)('is %s: active %s, %s failures since %s', (state, isActive, failures, failingSince) => {
    expect(stateOf({ isActive }, { ...unknownHealth, failures, failingSince }, now)).toBe(state);
  });
});
