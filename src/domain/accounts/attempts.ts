/**
 * Who may try a password, and how soon.
 *
 * What must stay true: nobody can keep somebody else out. Refusals count what one network does; how often an e-mail
 * address is tried from everywhere only slows attempts down. A device that signed in before has attempts of its own, so
 * that its owner gets in beside an attacker on the same network. All of it is decided before the password is looked at,
 * so that a refusal says nothing about it.
 */
import { networksAround, rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { refuse } from '../../model/errors.js';
import type { Counters, Window } from '../../ports/counters.js';

const windowMs = 60_000;
/** For what is limited by itself: a changed password, the set-up, a device. */
export const attemptsPerMinute = 5;
/** Of all devices of one user: who signs in again and again must not collect attempts with each new device. */
export const deviceAttemptsPerMinute = 20;
/** How long a network is remembered after a sign-in. */
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
  /** From a device or a network that this user signed in from before. */
  readonly isKnown: boolean;
  readonly delayMs: number;
}

export interface Attempts {
  /** Counts an attempt to sign in. Throws 429. `device`: proven to be one that the user signed in on before. */
  judge(attempt: {
    email: string;
    address: string;
    device: { readonly userId: string; readonly id: string } | null;
  }): Promise<Verdict>;
  succeeded(attempt: { email: string; address: string }): Promise<void>;
  /** Counts one attempt on something else; throws 429 when there were too many in this minute. */
  count(key: string): Promise<void>;
}

export function createAttempts({ counters, clock }: { counters: Counters; clock: Clock }): Attempts {
  const hit = async (key: string): Promise<Window> => counters.hit(`attempt:${key}`, windowMs);

  const demand = async ({ key, most }: Rule): Promise<void> => {
    const { count, resetsAt } = await hit(key);
    if (count > most) {
      throw refuse.tooManySignIns(Math.max(1, Math.ceil((resetsAt - clock.now()) / 1000)));
    }
  };

  const homeKey = (emailKey: string, address: string): string => `home:${emailKey}:${rateKey(address)}`;
  /** A window of no length: it counts into one that is open, and leaves nothing behind where none is. */
  const isHome = async (key: string): Promise<boolean> => (await counters.hit(key, 0)).count > 1;

  return {
    async judge({ email, address, device }) {
      if (device) {
        const own = await hit(`device:${device.userId}:${device.id}`);
        const all = await hit(`devices:${device.userId}`);
        // Beyond that it is judged as if nobody knew it.
        if (own.count <= attemptsPerMinute && all.count <= deviceAttemptsPerMinute) {
          return { isKnown: true, delayMs: 0 };
        }
      }
      const emailKey = sha256Hex(email);
      for (const rule of rulesFor(emailKey, address)) await demand(rule);
      const { count } = await hit(`email:${emailKey}`);
      const delayMs = delayOf(count);
      // Only asked where it matters. The limits of the network hold all the same: an attacker may be in it too.
      const isKnown = delayMs > 0 && (await isHome(homeKey(emailKey, address)));
      return { isKnown, delayMs: isKnown ? 0 : delayMs };
    },
    async succeeded({ email, address }) {
      await counters.hit(homeKey(sha256Hex(email), address), homeMs);
    },
    count: (key) => demand({ key, most: attemptsPerMinute }),
  };
}
