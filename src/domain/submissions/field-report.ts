/** What is known about the fields of a form: what was learned from all submissions, and what the newest ones contain. */
import type { FieldRule, FieldType } from '../../contract/field-rule.js';
import { membersOf } from '../../kernel/json-outline.js';
import { createPace } from '../../kernel/pace.js';
import { shownText } from '../../kernel/value-text.js';
import type { Principal } from '../../model/account.js';
import { type FieldKind, kindsIn, maxObservedNames } from '../../model/observed-field.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { Store } from '../../ports/store.js';
import { suggestRule, typesMetBy } from '../fields/suggest.js';
import type { FormService } from '../forms/service.js';
import { newestSubmissions } from './newest.js';

export interface ReportedField {
  readonly name: string;
  readonly kinds: readonly FieldKind[];
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** How many of the newest submissions have a value for it. */
  readonly count: number;
  /** The same as a share of the newest submissions, from 0 to 1. */
  readonly share: number;
  /** The most frequent first. Empty unless the field looks like a choice. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** The rule that fits what arrived; null when none does. */
  readonly suggested: FieldRule | null;
}

export interface FieldReport {
  readonly fields: readonly ReportedField[];
  /** How many of the newest submissions were examined. */
  readonly sample: number;
  readonly isTruncated: boolean;
  /** False while fields of submissions from before the upgrade are still being learned. */
  readonly isComplete: boolean;
}

export type FieldsOf = (who: Principal, formId: string) => Promise<FieldReport>;

/** A field with more different values is not a choice. */
const maxValues = 10;
const maxValueLength = 60;
/** A value that occurs once may be anything, such as a name or a customer number. */
const leastRepeated = 2;
/** With fewer values, repetition means nothing. */
const leastFilled = 5;

/** How often each value occurred; null when they are too many, or too long to be choices. */
type Tally = Map<string, number> | null;

interface Sampled {
  count: number;
  lastAt: number;
  values: Tally;
  /** The values inside lists, counted individually. */
  items: Tally;
  /** How many values match each type. */
  readonly met: Map<FieldType, number>;
  hasSeveralFiles: boolean;
}

const emptySample = (): Sampled => ({
  ...{ count: 0, lastAt: 0, values: new Map(), items: new Map(), met: new Map() },
  hasSeveralFiles: false,
});

function tallied(tally: Tally, value: string): Tally {
  if (tally === null) return null;
  tally.set(value, (tally.get(value) ?? 0) + 1);
  return value.length > maxValueLength || tally.size > maxValues ? null : tally;
}

/** Longer values count as text and are not parsed. */
const maxParsedLength = 4_096;

function noteValue(sampled: Sampled, written: string): void {
  const value = shownText(written);
  sampled.values = tallied(sampled.values, value);
  const parsed: unknown = written.length > maxParsedLength ? value : JSON.parse(written);
  for (const type of typesMetBy(parsed)) sampled.met.set(type, (sampled.met.get(type) ?? 0) + 1);
  // Only texts can be choices.
  for (const item of Array.isArray(parsed) ? parsed : [parsed])
    sampled.items = typeof item === 'string' ? tallied(sampled.items, item) : null;
}

const isEmpty = (written: string): boolean => written === '""' || written === 'null' || written === '[]';

async function sampledIn(submissions: readonly SubmissionWithFiles[]): Promise<ReadonlyMap<string, Sampled>> {
  const fields = new Map<string, Sampled>();
  const pace = createPace();
  const note = (name: string, at: number): Sampled => {
    const sampled = fields.get(name) ?? emptySample();
    fields.set(name, sampled);
    sampled.count += 1;
    sampled.lastAt = Math.max(sampled.lastAt, at);
    return sampled;
  };
  for (const { data, files, createdAt } of submissions) {
    if (pace.isOver()) await pace.rest();
    for (const { name, value } of membersOf(data))
      if (!isEmpty(value)) noteValue(note(name, createdAt), value);
    const names = files.map(({ fieldName }) => fieldName);
    const different = new Set(names);
    for (const name of different) {
      const sampled = note(name, createdAt);
      sampled.hasSeveralFiles ||= names.indexOf(name) !== names.lastIndexOf(name);
    }
  }
  return fields;
}

/** Personal data such as e-mail addresses is never a choice, however often it repeats. */
const choosable: readonly FieldKind[] = ['text', 'number', 'list'];

function repeatedIn(kinds: readonly FieldKind[], count: number, tally: Tally): ReportedField['values'] {
  const isChoosable = kinds.length > 0 && kinds.every((kind) => choosable.includes(kind));
  if (!isChoosable || tally === null || count < leastFilled || tally.size * 2 > count) return [];
  return [...tally]
    .map(([value, count]) => ({ value, count }))
    .filter(({ count }) => count >= leastRepeated)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** The choices of a rule. It must accept everything seen, so a single value that occurs once rules out choices. */
function choicesOf(kinds: readonly FieldKind[], { count, items }: Sampled): readonly string[] {
  if (kinds.every((kind) => kind === 'number')) return [];
  const repeated = repeatedIn(kinds, count, items);
  return repeated.length === items?.size ? repeated.map(({ value }) => value) : [];
}

export const createFieldsOf =
  ({ store, forms }: { store: Store; forms: FormService }): FieldsOf =>
  async (who, formId) => {
    const { form } = await forms.get(who, formId);
    const isComplete = await store.fields.isComplete();
    const known = await store.fields.list(form.id);
    const newest = await newestSubmissions(store, form.id);
    const sample = await sampledIn(newest);
    const fields = known.map(({ name, kinds: bits, firstSeenAt, lastSeenAt }): ReportedField => {
      const sampled = sample.get(name) ?? emptySample();
      const kinds = kindsIn(bits);
      const { count, met, hasSeveralFiles } = sampled;
      const values = repeatedIn(kinds, count, sampled.values);
      const choices = choicesOf(kinds, sampled);
      return {
        ...{ name, firstSeenAt, count, values },
        kinds: values.length > 0 ? [...kinds, 'choice'] : kinds,
        lastSeenAt: Math.max(lastSeenAt, sampled.lastAt),
        share: newest.length === 0 ? 0 : count / newest.length,
        suggested: suggestRule({
          ...{ name, kinds, count, met, choices, hasSeveralFiles },
          sampleSize: newest.length,
        }),
      };
    });
    return { fields, sample: newest.length, isTruncated: known.length >= maxObservedNames, isComplete };
  };
