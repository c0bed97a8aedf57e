/**
 * Counting beside the work: in memory at once, in the store a few seconds later. It must cost the path of submissions next to
 * nothing, so nobody waits for it, and what a crash loses is what was counted since the last write.
 *
 * What must stay true: the memory is bounded, however many forms there are and however long the store is out of order;
 * what was not written is tried again; `write` ends, however fast others count meanwhile.
 */

import type { RejectionReason } from '../../contract/rejections.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { examplesKept, type Rejections } from '../../model/rejections.js';
import { type FormCount, type QuarterHour, quarterHourOf, type TallyKind } from '../../model/tally.js';
import type { TallyStore } from '../../ports/tallies.js';

/** Somebody who was rejected. */
export type Example = Pick<Rejections, 'seen' | 'ip' | 'userAgent'>;

export interface Tallies {
  /** One more of this kind at the form, now. */
  count(formId: string, kind: TallyKind): void;
  rejected(formId: string, reason: RejectionReason, example: Example): void;
  /** Resolves when all that was counted before is stored. A rejection loses nothing: it is tried again. */
  write(): Promise<void>;
}

export const writeTalliesEveryMs = 3_000;

export interface TallyLimits {
  /** Counters in memory; while there are so many, further ones are not opened. 10,000 take about 2 MB. */
  readonly counters: number;
  /** Forms and reasons with examples in memory: 2,000 with five of 1 kB each are 10 MB at most. */
  readonly lines: number;
  /** Of each of the two in one transaction: commits wait behind it, some milliseconds. */
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
  /** The newest of each form and kind. A text of form, time and kind as the key took 4 µs of a delivery, these lookups 1. */
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

  /** Oldest first; the last ones stay. */
  const keep = (key: string, examples: readonly Rejections[]): void => {
    const known = lines.get(key);
    if (!known && lines.size >= limits.lines) return;
    lines.set(key, [...(known ?? []), ...examples].slice(-examplesKept));
  };

  /** What is written is taken out before; those that come meanwhile open new ones. */
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
      // One after the other: a write that fails puts back what it took, and who asks now must find that written too.
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
