/**
 * Learns which fields a form has. New fields are committed with the submission that has them, so that no field of a stored
 * submission is missing after a crash. Known fields are cached in memory and cost no write.
 */
import type { SubmittedValues } from '../../model/fields.js';
import {
  allSeen,
  isAllKnown,
  maxObservedNames,
  type NamedField,
  type SeenField,
} from '../../model/observed-field.js';
import { dayOf } from '../../model/tally.js';
import type { FieldStore } from '../../ports/fields.js';

export interface FieldLearner {
  /** Whether `newIn` would return none. That is nearly always so, and must be cheap. */
  knowsAll(submission: Submitted, values: SubmittedValues, files: readonly NamedField[]): boolean;
  /** The fields that the store does not know yet, or not with this kind, or not on this day. */
  newIn(submission: Submitted, files: readonly NamedField[]): Promise<readonly SeenField[]>;
  /** Call it once the fields are stored. */
  stored(formId: string, fields: readonly SeenField[]): void;
}

interface Submitted {
  readonly formId: string;
  readonly data: string;
  readonly createdAt: number;
}

interface Known {
  readonly kinds: number;
  readonly day: number;
}

/** For all forms together: about 20 MB. */
const maxNames = 100_000;

export function createFieldLearner(deps: {
  store: Pick<FieldStore, 'list'>;
  maxNames?: number;
}): FieldLearner {
  const most = deps.maxNames ?? maxNames;
  /** The form loaded first is evicted first: tracking the order of use would cost every submission more than an occasional query. */
  const forms = new Map<string, Map<string, Known>>();
  let names = 0;

  const forget = (formId: string): void => {
    names -= forms.get(formId)?.size ?? 0;
    forms.delete(formId);
  };

  const keep = (formId: string, known: Map<string, Known>): void => {
    forget(formId);
    forms.set(formId, known);
    names += known.size;
    for (const oldest of forms.keys()) {
      if (names <= most || oldest === formId) break;
      forget(oldest);
    }
  };

  const load = async (formId: string): Promise<Map<string, Known>> => {
    const fields = await deps.store.list(formId);
    const known = new Map<string, Known>();
    for (const { name, kinds, lastSeenAt } of fields) known.set(name, { kinds, day: dayOf(lastSeenAt) });
    keep(formId, known);
    return known;
  };

  return {
    knowsAll({ formId, createdAt }, values, files) {
      const known = forms.get(formId);
      if (!known) return false;
      const day = dayOf(createdAt);
      return isAllKnown(values, files, (name) => {
        const before = known.get(name);
        return before === undefined || before.day < day ? undefined : before.kinds;
      });
    },

    async newIn(submission, files) {
      const known = forms.get(submission.formId) ?? (await load(submission.formId));
      const day = dayOf(submission.createdAt);
      let room = maxObservedNames - known.size;
      return allSeen(submission, files).filter(({ name, kinds }) => {
        const before = known.get(name);
        if (before === undefined) return room-- > 0;
        return before.day < day || (before.kinds | kinds) !== before.kinds;
      });
    },

    stored(formId, fields) {
      const known = forms.get(formId);
      if (!known) return;
      const before = known.size;
      for (const { name, kinds, seenAt } of fields) {
        const { kinds: others, day } = known.get(name) ?? { kinds: 0, day: 0 };
        known.set(name, { kinds: others | kinds, day: Math.max(day, dayOf(seenAt)) });
      }
      names += known.size - before;
      if (names > most) keep(formId, known);
    },
  };
}
