/**
 * Decides who may try a password, and how soon.
 *
 * What must stay true: rejections (429) depend only on the attempts of one network. Attempts on an e-mail address from
 * everywhere only delay further attempts, so no client is rejected for what other networks do. When more attempts arrive than
 * can be served, a new network gets its fair share of the slots, and 503 otherwise. A device that signed in before has an
 * allowance of its own, so its user can sign in during an attack. The trust that a device or network has earned with one user
 * applies to that user's password only: anyone can create a user with someone else's e-mail address in their own account.
 * Rejections are decided before the password is checked, so they reveal nothing about it.
 */
import { networksAround, rateKey } from '../../kernel/addresses.js';
import { type Clock, secondsUntil } from '../../kernel/clock.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { refuse } from '../../model/errors.js';
import type { Counters, Window } from '../../ports/counters.js';
import type { KnownDevice } from './devices.js';

const windowMs = 60_000;
/** Also the limit for everything that is counted on its own, such as a changed password, setup or a device. */
export const attemptsPerMinute = 5;
const dayMs = 24 * 60 * 60_000;
/** At five a minute, a six-digit code would be found within weeks. */
export const codesPerDay = 50;
/** Across all devices of one user: signing in repeatedly must not add attempts with each new device. */
export const deviceAttemptsPerMinute = 20;
/** How long a network is remembered after the last sign-in. */
const homeMs = 30 * 24 * 60 * 60_000;

interface Limit {
  /** Attempts of one network on all e-mail addresses: an office may share one IP address. */
  readonly all: number;
  /** Attempts of one network on one e-mail address. */
  readonly each: number;
}

/** Per minute, by width of the network. Narrow: an address or a /64. Middle: a /56. Wide: a /24 or a /48. */
const limits: Readonly<Record<'narrow' | 'middle' | 'wide', Limit>> = {
  narrow: { all: 20, each: attemptsPerMinute },
  middle: { all: 60, each: 10 },
  wide: { all: 120, each: 20 },
};

/** Attempts on one e-mail address, from all networks together, that are not delayed. */
const freeAttempts = 5;
const firstDelayMs = 250;
const maxDelayMs = 5_000;

/** The delay of the n-th attempt on an e-mail address within a minute. */
export const delayOf = (count: number): number =>
  count <= freeAttempts ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (count - freeAttempts - 1));

interface Rule {
  readonly key: string;
  readonly most: number;
}

/**
 * The limits that an attempt counts against, in this order. The first one exceeded rejects it, and the rest are not counted: an
 * address over its limit must not use up the attempts of its neighbours.
 */
export function rulesFor(emailKey: string, address: string): readonly Rule[] {
  const networks = networksAround(address);
  const levels = networks.map((network, i) => ({
    network,
    limit: i === 0 ? limits.narrow : i < networks.length - 1 ? limits.middle : limits.wide,
  }));
  return [
    ...levels.map(({ network, limit }) => ({ key: `network:${network}`, most: limit.all })),
    ...levels.map(({ network, limit }) => ({ key: `pair:${emailKey}:${network}`, most: limit.each })),
  ];
}

export interface Verdict {
  /** Ids of users who signed in from this device or network before. Only their passwords may be checked without a delay. */
  readonly known: readonly string[];
  /**
   * Returns the delay before the passwords of all other users are compared. If the device is known, this also counts the
   * attempt like any other, which so far was counted only for the device, and may throw 429.
   */
  readonly delayForOthers: () => Promise<number>;
}

export interface Attempts {
  /** Counts a sign-in attempt. Throws 429. `devices`: devices that have proven that these users signed in on them before. */
  judge(attempt: {
    email: string;
    address: string;
    /** All users with this e-mail address. */
    userIds: readonly string[];
    devices: readonly KnownDevice[];
  }): Promise<Verdict>;
  succeeded(attempt: { userId: string; address: string }): Promise<void>;
  /** Counts an attempt on something else. Throws 429 after too many in this minute. */
  count(key: string): Promise<void>;
  /** Counts an attempt at a short code, in addition to `count`. Throws 429 after too many in this day. */
  countCode(key: string): Promise<void>;
}

export function createAttempts({ counters, clock }: { counters: Counters; clock: Clock }): Attempts {
  const hit = async (key: string, ms = windowMs): Promise<Window> => counters.hit(`attempt:${key}`, ms);

  const demand = async ({ key, most }: Rule, ms = windowMs): Promise<void> => {
    const { count, resetsAt } = await hit(key, ms);
    if (count > most) {
      throw refuse.tooManySignIns(secondsUntil(resetsAt, clock.now()));
    }
  };

  const homeKey = (userId: string, address: string): string => `home:${userId}:${rateKey(address)}`;

  const isWithinLimits = async ({ userId, id }: KnownDevice): Promise<boolean> => {
    const own = await hit(`device:${userId}:${id}`);
    const all = await hit(`devices:${userId}`);
    return own.count <= attemptsPerMinute && all.count <= deviceAttemptsPerMinute;
  };

  const countAsUnknown = async (email: string, address: string): Promise<number> => {
    const emailKey = sha256Hex(email);
    for (const rule of rulesFor(emailKey, address)) await demand(rule);
    return delayOf((await hit(`email:${emailKey}`)).count);
  };

  /** Returns the users who signed in from this network before. */
  const atHome = async (userIds: readonly string[], address: string): Promise<string[]> => {
    // Always looks up one id more, so that it takes the same time when there are no users.
    const hits = await Promise.all([...userIds, ''].map((id) => counters.peek(homeKey(id, address))));
    return userIds.filter((_, i) => (hits[i] ?? 0) > 0);
  };

  return {
    async judge({ email, address, userIds, devices }) {
      const trusted: string[] = [];
      // Above its limits a device counts as unknown.
      for (const device of devices) if (await isWithinLimits(device)) trusted.push(device.userId);
      if (trusted.length > 0) return { known: trusted, delayForOthers: () => countAsUnknown(email, address) };
      const delayMs = await countAsUnknown(email, address);
      // Looked up only if there is a delay to skip. The limits of the network still apply: an attacker may be on it too.
      const known = delayMs > 0 ? await atHome(userIds, address) : [];
      return { known, delayForOthers: async () => delayMs };
    },
    async succeeded({ userId, address }) {
      await counters.renew(homeKey(userId, address), homeMs);
    },
    count: (key) => demand({ key, most: attemptsPerMinute }),
    countCode: (key) => demand({ key: `code:${key}`, most: codesPerDay }, dayMs),
  };
}
