/**
 * Remembers forms that were full a moment ago. A commit for a full form fails, and its whole batch has to be tried again: under
 * load, most submissions to full forms must be rejected before the commit.
 */
import type { Clock } from '../../kernel/clock.js';

export interface FullForms {
  note(formId: string): void;
  has(formId: string): boolean;
}

/** For this long, a place that was freed by deleting may still be refused. */
const rememberedMs = 1_000;
const maxForms = 10_000;

export function createFullForms(clock: Clock): FullForms {
  const notedAt = new Map<string, number>();
  return {
    note(formId) {
      if (notedAt.size >= maxForms) notedAt.clear();
      notedAt.set(formId, clock.now());
    },
    has(formId) {
      if (notedAt.size === 0) return false;
      const at = notedAt.get(formId);
      if (at === undefined) return false;
      const age = clock.now() - at;
      if (age >= 0 && age < rememberedMs) return true;
      notedAt.delete(formId);
      return false;
    },
  };
}
