/**
 * Forms that had as many submissions as they may have a moment ago. A commit of such a form fails, and takes those of other forms in its
 * batch along into another try: under load most of them must be rejected before.
 */
import type { Clock } from '../../kernel/clock.js';

export interface FullForms {
  note(formId: string): void;
  has(formId: string): boolean;
}

/** So long a place that was freed by deleting may be refused. */
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
