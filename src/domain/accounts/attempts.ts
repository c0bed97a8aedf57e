/**
 * Who may try a password, and how soon.
 *
 * What must stay true: refusals (429) count what one network does; how often an e-mail address is tried from everywhere
 * only delays attempts. So nobody is refused for what other networks do, but while more attempts come than are served, a
 * new network gets its share of the turns and 503 otherwise. A device that signed in before has attempts of its own, so
 * that its user gets in beside all of them. What a device or a network has earned with one user is good for that user's
 * password only: anyone can create a user with somebody else's e-mail address in an account of their own. Refusals are
 * decided before the password is looked at, so that they say nothing about it.
 */
import { networksAround, rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { refuse } from '../../model/errors.js';
import type { Counters, Window } from '../../ports/counters.js';
import type { KnownDevice } from './devices.js';

const windowMs = 60_000;
/** For what is limited by itself: a changed password, the set-up, a device. */
export const attemptsPerMinute = 5;
const dayMs = 24 * 60 * 60_000;
/** Five a minute would find a code of six digits within some weeks. */
export const codesPerDay = 50;
/** Of all devices of one user: who signs in again and again must not collect attempts with each new device. */
export const deviceAttemptsPerMinute = 20;
/** How long a network is remembered after the last sign-in. */
const homeMs = 30 * 24 * 60 * 60_000;

interface Limit {
  /** The attempts of a network on all e-mail addresses: an office may be behind one address. */
  readonly all: number;
  /** Its attempts on one of them. */
  readonly each: number;
}

/** A minute, by the width of the network: an address or a /64, a /56, a /24 or a /48. */
const limits: Readonly<Record<'narrow' | 'middle' | 'wide', Limit>> = {
  narrow: { all: 20, each: attemptsPerMinute },
  middle: { all: 60, each: 10 },
  wide: { all: 120, each: 20 },
};

/** Attempts on one e-mail address from everywhere that are not slowed down. */
const freeAttempts = 5;
const firstDelayMs = 250;
const maxDelayMs = 5_000;

/** How long an attempt waits that is the n-th on its e-mail address within a minute. */
export const delayOf = (count: number): number =>
  count <= freeAttempts ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (count - freeAttempts - 1));

interface Rule {
  readonly key: string;
  readonly most: number;
}

/**
 * What an attempt counts against, in this order; the first that is exceeded refuses it, and the rest is not counted: an
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
  /** Ids of the users who signed in from this device or network before: only their passwords may be compared at once. */
  readonly known: readonly string[];
  /**
   * How long the attempt waits before the passwords of all other users are compared. Counts an attempt that was known by
   * its device, which nothing but that device has counted so far; may throw 429 then.
   */
  readonly delayForOthers: () => Promise<number>;
}

export interface Attempts {
  /** Counts an attempt to sign in. Throws 429. `devices`: proven to be those that these users signed in on before. */
  judge(attempt: {
    email: string;
    address: string;
    /** All users of the e-mail address. */
    userIds: readonly string[];
    devices: readonly KnownDevice[];
  }): Promise<Verdict>;
  succeeded(attempt: { userId: string; address: string }): Promise<void>;
  /** Counts one attempt on something else; throws 429 when there were too many in this minute. */
  count(key: string): Promise<void>;
  /** Counts one short code, beside `count`; throws 429 when there were too many in this day. */
  countCode(key: string): Promise<void>;
}

export function createAttempts({ counters, clock }: { counters: Counters; clock: Clock }): Attempts {
  const hit = async (key: string, ms = windowMs): Promise<Window> => counters.hit(`attempt:${key}`, ms);

  const demand = async ({ key, most }: Rule, ms = windowMs): Promise<void> => {
    const { count, resetsAt } = await hit(key, ms);
    if (count > most) {
      throw refuse.tooManySignIns(Math.max(1, Math.ceil((resetsAt - clock.now()) / 1000)));
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

  /** Those of the users who signed in from this network before. */
  const atHome = async (userIds: readonly string[], address: string): Promise<string[]> => {
    // One more than there are, so that it takes the same time when there are none.
    const hits = await Promise.all([...userIds, ''].map((id) => counters.peek(homeKey(id, address))));
    return userIds.filter((_, i) => (hits[i] ?? 0) > 0);
  };

  return {
    async judge({ email, address, userIds, devices }) {
      const trusted: string[] = [];
      // Beyond its limits a device is judged as if nobody knew it.
      for (const device of devices) if (await isWithinLimits(device)) trusted.push(device.userId);
      if (trusted.length > 0) return { known: trusted, delayForOthers: () => countAsUnknown(email, address) };
      const delayMs = await countAsUnknown(email, address);
      // Only asked where it matters. The limits of the network hold all the same: an attacker may be in it too.
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
