/** The labels of a form's fields as visitors see them, by field name. Fields without a label are left out. */
import type { FieldRule } from '../contract/field-rule.js';
import { isBlank, oneLine } from '../kernel/shown-text.js';

export type FieldLabels = ReadonlyMap<string, string>;

export const fieldLabels = (rules: readonly Pick<FieldRule, 'name' | 'label'>[]): FieldLabels =>
  new Map(rules.flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])));

/** The name of a field in all mails and chat messages: the label of its rule, or else its name. One line, not escaped. */
export const shownFieldName = (labels: FieldLabels, name: string, maxChars: number): string =>
  [labels.get(name) ?? name, name].map((text) => oneLine(text, maxChars)).find((text) => !isBlank(text)) ??
  '(no name)';
