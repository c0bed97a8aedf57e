/**
 * Finds the form that a visitor requests. Unknown ids are counted per address: an address that guesses ids is rate limited,
 * while existing forms stay open to it.
 *
 * Only the database knows whether an id exists. For an address over its limit, ids are looked up one at a time, and only a few
 * for all such addresses together, so that guessing does not occupy database connections that others need.
 */
import { rateKey } from '../../kernel/addresses.js';
import { secondsUntil } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { type Refusal, refuse } from '../../model/errors.js';
import type { CompiledForm, IntakeForms } from './intake-forms.js';
import type { RateCount, RateReading } from './rate.js';

/** There is no such form. */
export interface UnknownForm {
  readonly target: null;
  readonly rate: RateReading;
  readonly refusal: Refusal;
}

export interface FormLookup {
  find(publicId: string, ip: string): Promise<CompiledForm | UnknownForm>;
  /** Returns null when the address is not over its limit. */
  limitOf(ip: string): UnknownForm | null;
  /** Counts like an unknown id. */
  count(ip: string): Promise<void>;
}

const maxGuessers = 10_000;
const maxLookups = 8;
/** No address can fill the queue: the other limited addresses still find their forms. */
const waiting = { max: 1_000, maxPerKey: 64 };
const maxWaitMs = 2_000;

export function createFormLookup(deps: {
  forms: IntakeForms;
  /** Counts one unknown id. */
  countUnknown(ip: string): Promise<RateCount>;
  now(): number;
}): FormLookup {
  const { forms, now } = deps;
  /** Addresses over their limit, with the rate at that time. */
  const guessers = new Map<string, RateReading>();
  const lookups = new Slots(maxLookups, 1, waiting);

  const limited = (rate: RateReading): UnknownForm => ({
    target: null,
    rate,
    refusal: refuse.submissionRateLimited(secondsUntil(rate.resetsAt, now())),
  });

  const unknown = async (ip: string): Promise<UnknownForm> => {
    const { over, rate } = await deps.countUnknown(ip);
    if (!over) return { target: null, rate, refusal: refuse.formNotFound() };
    if (guessers.size >= maxGuessers) guessers.clear();
    guessers.set(rateKey(ip), rate);
    return limited(rate);
  };

  const judge = (found: CompiledForm | null, ip: string) => found ?? unknown(ip);

  const guesserAt = (key: string): RateReading | null => {
    const rate = guessers.get(key);
    if (rate === undefined || rate.resetsAt > now()) return rate ?? null;
    guessers.delete(key);
    return null;
  };

  const findInTurn = async (publicId: string, ip: string, rate: RateReading) => {
    const look = async () => judge(await forms.find(publicId), ip);
    const done = await lookups.run(rateKey(ip), maxWaitMs, look);
    return done === null ? limited(rate) : done.value;
  };

  return {
    limitOf(ip) {
      const rate = guessers.size === 0 ? null : guesserAt(rateKey(ip));
      return rate === null ? null : limited(rate);
    },
    async count(ip) {
      await unknown(ip);
    },
    async find(publicId, ip) {
      const recalled = forms.recall(publicId);
      if (recalled !== undefined) return judge(recalled, ip);
      const guesser = guessers.size === 0 ? null : guesserAt(rateKey(ip));
      if (guesser !== null) return findInTurn(publicId, ip, guesser);
      return judge(await forms.find(publicId), ip);
    },
  };
}
