/** What is known about the fields of a form: what was learned of all submissions, and what the newest ones hold. */
import { membersOf } from '../../kernel/json-outline.js';
import { createPace } from '../../kernel/pace.js';
import type { Principal } from '../../model/account.js';
import { type FieldKind, kindsIn, maxObservedNames } from '../../model/observed-field.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { Store } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
import { shownText } from './field-text.js';
import { newestSubmissions } from './newest.js';

export interface ReportedField {
  readonly name: string;
  readonly kinds: readonly FieldKind[];
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** How many of the newest submissions have a value for it. */
  readonly count: number;
  /** Of the newest submissions; 0 to 1. */
  readonly share: number;
  /** The most frequent first; none unless it looks like a choice. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

export interface FieldReport {
  readonly fields: readonly ReportedField[];
  /** How many of the newest submissions were looked at. */
  readonly sample: number;
  readonly isTruncated: boolean;
  /** False: fields of submissions from before the upgrade are still being learned. */
  readonly isComplete: boolean;
}

export type FieldsOf = (who: Principal, formId: string) => Promise<FieldReport>;

/** More different values make no choice. */
const maxValues = 10;
const maxValueLength = 60;
/** A value that came once may be anything: a name, a number of a customer. */
const leastRepeated = 2;
/** Fewer tell nothing about what repeats. */
const leastFilled = 5;

interface Sampled {
  count: number;
  lastAt: number;
  /** null: too many, or too long to be choices. */
  values: Map<string, number> | null;
}

function noteValue(sampled: Sampled, written: string): void {
  if (sampled.values === null) return;
  const value = shownText(written);
  sampled.values.set(value, (sampled.values.get(value) ?? 0) + 1);
  if (value.length > maxValueLength || sampled.values.size > maxValues) sampled.values = null;
}

const isEmpty = (written: string): boolean => written === '""' || written === 'null' || written === '[]';

async function sampledIn(submissions: readonly SubmissionWithFiles[]): Promise<ReadonlyMap<string, Sampled>> {
  const fields = new Map<string, Sampled>();
  const pace = createPace();
  const note = (name: string, at: number): Sampled => {
    const sampled = fields.get(name) ?? { count: 0, lastAt: 0, values: new Map<string, number>() };
    fields.set(name, sampled);
    sampled.count += 1;
    sampled.lastAt = Math.max(sampled.lastAt, at);
    return sampled;
  };
  for (const { data, files, createdAt } of submissions) {
    if (pace.isOver()) await pace.rest();
    for (const { name, value } of membersOf(data))
      if (!isEmpty(value)) noteValue(note(name, createdAt), value);
    for (const name of new Set(files.map(({ fieldName }) => fieldName))) note(name, createdAt);
  }
  return fields;
}

/** Personal data such as e-mail addresses is never a choice, however often it repeats. */
const choosable: readonly FieldKind[] = ['text', 'number', 'list'];

function choicesOf(kinds: readonly FieldKind[], sampled: Sampled | undefined): ReportedField['values'] {
  const isChoosable = kinds.length > 0 && kinds.every((kind) => choosable.includes(kind));
  if (!isChoosable || !sampled?.values || sampled.count < leastFilled) return [];
  if (sampled.values.size * 2 > sampled.count) return [];
  return [...sampled.values]
    .map(([value, count]) => ({ value, count }))
    .filter(({ count }) => count >= leastRepeated)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
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
      const sampled = sample.get(name);
      const kinds = kindsIn(bits);
      const values = choicesOf(kinds, sampled);
      const count = sampled?.count ?? 0;
      return {
        ...{ name, firstSeenAt, count, values },
        kinds: values.length > 0 ? [...kinds, 'choice'] : kinds,
        lastSeenAt: Math.max(lastSeenAt, sampled?.lastAt ?? 0),
        share: newest.length === 0 ? 0 : count / newest.length,
      };
    });
    return { fields, sample: newest.length, isTruncated: known.length >= maxObservedNames, isComplete };
  };
