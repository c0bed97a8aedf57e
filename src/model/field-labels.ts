/** What visitors call the fields of a form, by the names of the fields; those without a label are not in it. */
import type { FieldRule } from '../contract/field-rule.js';
import { isBlank, oneLine } from '../kernel/shown-text.js';

export type FieldLabels = ReadonlyMap<string, string>;

export const fieldLabels = (rules: readonly Pick<FieldRule, 'name' | 'label'>[]): FieldLabels =>
  new Map(rules.flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])));

/** A field as every mail and chat message calls it: the label of its rule, else its name. One line, and not escaped. */
export const shownFieldName = (labels: FieldLabels, name: string, maxChars: number): string =>
  [labels.get(name) ?? name, name].map((text) => oneLine(text, maxChars)).find((text) => !isBlank(text)) ??
  '(no name)';
