/**
 * Counts in the background: in memory at once, in the store a few seconds later. It must cost the path of submissions next to
 * nothing, so no request waits for it, and a crash loses what was counted since the last write.
 *
 * What must stay true: memory is bounded, however many forms there are and however long the store is unavailable. What was not
 * written is retried. `write` ends, however fast others count meanwhile.
 */

import type { RejectionReason } from '../../contract/rejections.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { examplesKept, type Rejections } from '../../model/rejections.js';
import { type FormCount, type QuarterHour, quarterHourOf, type TallyKind } from '../../model/tally.js';
import type { TallyStore } from '../../ports/tallies.js';

/** A rejected request. */
export type Example = Pick<Rejections, 'seen' | 'ip' | 'userAgent'>;

export interface Tallies {
  /** Adds one to the count of this kind for the form, now. */
  count(formId: string, kind: TallyKind): void;
  rejected(formId: string, reason: RejectionReason, example: Example): void;
  /** Resolves when everything counted so far is stored. If it rejects, nothing is lost: the next write tries again. */
  write(): Promise<void>;
}

export const writeTalliesEveryMs = 3_000;

export interface TallyLimits {
  /** Counters in memory. Beyond that, no new ones are opened. 10,000 take about 2 MB. */
  readonly counters: number;
  /** Pairs of form and reason with examples in memory: 2,000 with five of 1 kB each are 10 MB at most. */
  readonly lines: number;
  /** Of each of the two per transaction: commits wait for it, a few milliseconds. */
  readonly perWrite: number;
}

export const tallyLimits: TallyLimits = { counters: 10_000, lines: 2_000, perWrite: 500 };

type Counter = FormCount & { count: number };

export function createTallies(deps: {
  store: Pick<TallyStore, 'add'>;
  clock: Clock;
  limits?: TallyLimits;
}): Tallies {
  const { store, clock, limits = tallyLimits } = deps;
  const counters = new Set<Counter>();
  /** The newest counter of each form and kind. A string of form, time and kind as the key cost 4 µs per delivery, these lookups 1. */
  const newest = new Map<string, Map<TallyKind, Counter>>();
  const lines = new Map<string, Rejections[]>();
  let writing: Promise<void> = Promise.resolve();

  const add = (formId: string, quarterHour: QuarterHour, kind: TallyKind, count: number): void => {
    const known = newest.get(formId)?.get(kind);
    if (known?.quarterHour === quarterHour) known.count += count;
    else if (counters.size < limits.counters) open({ formId, quarterHour, kind, count });
  };

  const open = (counter: Counter): void => {
    const ofForm = newest.get(counter.formId) ?? new Map<TallyKind, Counter>();
    newest.set(counter.formId, ofForm.set(counter.kind, counter));
    counters.add(counter);
  };

  const close = (counter: Counter): void => {
    counters.delete(counter);
    const ofForm = newest.get(counter.formId);
    if (ofForm?.get(counter.kind) === counter) ofForm.delete(counter.kind);
    if (ofForm?.size === 0) newest.delete(counter.formId);
  };

  /** Expects the oldest first; the last ones stay. */
  const keep = (key: string, examples: readonly Rejections[]): void => {
    const known = lines.get(key);
    if (!known && lines.size >= limits.lines) return;
    lines.set(key, [...(known ?? []), ...examples].slice(-examplesKept));
  };

  /** Counters are taken out before they are written. Counts that arrive meanwhile open new ones. */
  const writeStep = async (): Promise<void> => {
    const counts = firstOf(counters, limits.perWrite);
    const examples = firstOf(lines, limits.perWrite);
    if (counts.length + examples.length === 0) return;
    for (const counter of counts) close(counter);
    for (const [key] of examples) lines.delete(key);
    try {
      await store.add(
        counts,
        examples.flatMap(([, line]) => line),
      );
    } catch (error) {
      for (const { formId, quarterHour, kind, count } of counts) add(formId, quarterHour, kind, count);
      for (const [key, older] of examples) {
        const newer = lines.get(key) ?? [];
        lines.delete(key);
        keep(key, [...older, ...newer]);
      }
      throw error;
    }
  };

  const writeAll = async (): Promise<void> => {
    const steps = Math.ceil(Math.max(counters.size, lines.size) / limits.perWrite);
    for (let step = 0; step < steps; step += 1) await writeStep();
  };

  return {
    count: (formId, kind) => add(formId, quarterHourOf(clock.now()), kind, 1),

    rejected(formId, reason, example) {
      const at = clock.now();
      add(formId, quarterHourOf(at), `refused_${reason}`, 1);
      keep(`${formId} ${reason}`, [{ ...example, id: newId(at), formId, reason, at }]);
    },

    write() {
      // One write at a time: a failed write puts back what it took, and the next caller must find that written too.
      writing = writing.catch(() => {}).then(writeAll);
      return writing;
    },
  };
}

function firstOf<T>(all: Iterable<T>, most: number): readonly T[] {
  const first: T[] = [];
  for (const one of all) {
    if (first.length === most) break;
    first.push(one);
  }
  return first;
}
