/** What visitors call the fields of a form, by the names of the fields; those without a label are not in it. */
import type { FieldRule } from '../contract/field-rule.js';

export type FieldLabels = ReadonlyMap<string, string>;

export const fieldLabels = (rules: readonly Pick<FieldRule, 'name' | 'label'>[]): FieldLabels =>
  new Map(rules.flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])));
