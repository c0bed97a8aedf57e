import { beforeEach, expect, it } from 'vitest';
import { deriveKey } from '../../kernel/secrets.js';
import type { StoredUser } from '../../ports/accounts.js';
import { createDevices, deviceLifeMs } from './devices.js';

const stored = (id: string, passwordHash = `hash of ${id}`): StoredUser => ({
  user: {
    ...{ id, accountId: 'account', loginId: id, email: 'ada@example.com' },
    ...{ role: 'owner', projects: [], createdAt: 0 },
  },
  passwordHash,
});
const ada = stored('ada');
const bob = stored('bob');

let now: number;
const make = (secret = 'master') =>
  createDevices({ key: deriveKey(secret, 'devices'), clock: { now: () => now } });
let devices: ReturnType<typeof make>;
beforeEach(() => {
  now = 1_700_000_000_000;
  devices = make();
});

it('is known by its cookie, for the users who signed in on it', () => {
  const cookie = devices.remember(null, ada);
  const known = devices.find(cookie, [bob, ada]);
  expect(known).toEqual([{ userId: 'ada', id: expect.stringMatching(/^\w{22}$/) }]);
  expect(devices.find(cookie, [bob])).toEqual([]);
  expect(devices.find(cookie, [])).toEqual([]);
  expect(devices.find(null, [ada])).toEqual([]);
  const both = devices.remember(cookie, bob);
  expect(devices.find(both, [ada])).toEqual(known);
  expect(devices.find(both, [ada, bob]).map(({ userId }) => userId)).toEqual(['bob', 'ada']);
  expect(devices.find(both, [bob])[0]?.id).not.toBe(known[0]?.id);
  // The same device, with a full lifetime from now on.
  now += deviceLifeMs - 1;
  const again = devices.remember(both, ada);
  expect(again.split('~')).toHaveLength(2);
  now += 1;
  expect(devices.find(again, [ada])).toEqual(known);
  expect(devices.find(again, [bob])).toEqual([]);
});

it('is unknown after the password has changed, and to another instance', () => {
  const cookie = devices.remember(null, ada);
  expect(devices.find(cookie, [stored('ada', 'another hash')])).toEqual([]);
  expect(make('another master').find(cookie, [ada])).toEqual([]);
});

it('remembers the last four users', () => {
  const users = ['a', 'b', 'c', 'd', 'e'].map((id) => stored(id));
  const cookie = users.reduce<string | null>((before, user) => devices.remember(before, user), null);
  expect(users.map((user) => devices.find(cookie, [user])[0]?.userId)).toEqual([
    undefined,
    'b',
    'c',
    'd',
    'e',
  ]);
});

it.each(['', '~', '~~~~~~~~', 'a.b.c', 'x'.repeat(100_000), `${'A'.repeat(22)}.zzzzzzzz.${'A'.repeat(43)}`])(
  'is not made of %.30j',
  (cookie) => {
    expect(devices.find(cookie, [ada])).toEqual([]);
    expect(devices.find(devices.remember(cookie, ada), [ada])[0]?.userId).toBe('ada');
  },
);

it('cannot be given a later end', () => {
  const [id, expiry, signature] = devices.remember(null, ada).split('.');
  expect(devices.find(`${id}.${expiry?.replace(/^./, 'z')}.${signature}`, [ada])).toEqual([]);
});
