/** The rules being edited: added, changed, moved and removed until they are saved. */
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import type { FieldRule, FormFull } from '../../../wire.js';
import * as words from '../../../words/fields.js';
import { changedRule, faultAt, moved, type RuleChange, titleOf } from './rule-settings.js';

export const rulesOf = (form: FormFull) => ({ fields: form.fields, unknown_fields: form.unknown_fields });
export type RuleValues = ReturnType<typeof rulesOf>;

export interface RulesState {
  readonly rules: readonly FieldRule[];
  /** The index of the rule being edited. */
  readonly open: number | null;
  /** For screen readers. */
  readonly announcement: string;
  readonly toggle: (place: number) => void;
  readonly add: (rules: readonly FieldRule[], isOpen: boolean) => void;
  readonly change: (place: number, change: RuleChange) => void;
  readonly move: (from: number, to: number) => void;
  readonly remove: (place: number) => void;
  readonly faultOf: (place: number, setting?: string) => string | undefined;
}

/** The new index of a rule after a move. */
const placeAfter = (place: number | null, from: number, to: number): number | null => {
  if (place === null || place === from) return place === null ? null : to;
  const without = place > from ? place - 1 : place;
  return without >= to ? without + 1 : without;
};

export function useRules(form: UseFormReturnType<RuleValues>): RulesState {
  const [open, setOpen] = useState<number | null>(null);
  const [announcement, announce] = useState('');
  const { fields: rules } = form.values;
  /** Errors are keyed by index: a moved or changed rule has none until the next save. */
  const put = (next: FieldRule[], isStale: (path: string) => boolean) => {
    form.setFieldValue('fields', next);
    form.setErrors(Object.fromEntries(Object.entries(form.errors).filter(([path]) => !isStale(path))));
  };
  const isOfRules = (path: string): boolean => path === 'fields' || path.startsWith('fields.');
  const name = (place: number): string => {
    const rule = rules[place];
    return rule === undefined ? '' : titleOf(rule) || words.newField;
  };
  return {
    rules,
    open,
    announcement,
    toggle: (place) => setOpen(open === place ? null : place),
    add(added, isOpen) {
      put([...rules, ...added], isOfRules);
      setOpen(isOpen ? rules.length : null);
      announce(words.rulesCreated(added.length));
    },
    change(place, change) {
      const path = `fields.${place}`;
      put(
        rules.map((rule, at) => (at === place ? changedRule(rule, change) : rule)),
        (fault) => fault === 'fields' || fault.startsWith(`${path}.`),
      );
      // It may have been open only because of its error, which is cleared now.
      setOpen(place);
    },
    move(from, to) {
      if (to < 0 || to >= rules.length || to === from) return;
      put(moved(rules, from, to), isOfRules);
      setOpen(placeAfter(open, from, to));
      announce(words.moved(name(from), to + 1, rules.length));
    },
    remove(place) {
      put(
        rules.filter((_, at) => at !== place),
        isOfRules,
      );
      setOpen(open === place ? null : open !== null && open > place ? open - 1 : open);
      announce(words.removed(name(place)));
    },
    faultOf: (place, setting) =>
      faultAt(form.errors, setting === undefined ? `fields.${place}` : `fields.${place}.${setting}`),
  };
}
