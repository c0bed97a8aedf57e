/** The inputs of a form as elements, to be written in the syntax of each framework. The constraints come from the rules. */
import type { FieldRule } from '../../../contract/field-rule.js';
import { labelOf } from './fields.js';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Element {
  readonly tag: string;
  /** `false` and undefined: the attribute is left out. */
  readonly attributes: Attributes;
  readonly children: readonly (Element | string)[];
}

const element = (tag: string, attributes: Attributes, ...children: Element['children']): Element => ({
  tag,
  attributes,
  children,
});

/** With more choices than this, the input is a select. */
const mostRadios = 5;
const mostCheckboxes = 20;

/** HTML input types have the same names as ours, except for these. */
const inputTypes: Readonly<Partial<Record<FieldRule['type'], string | undefined>>> = {
  text: undefined,
  textarea: undefined,
  choice: undefined,
  integer: 'number',
  boolean: 'checkbox',
};
const inputType = ({ type }: FieldRule): string | undefined => (type in inputTypes ? inputTypes[type] : type);

const remembered = (rule: FieldRule): string | undefined =>
  ['email', 'tel', 'url'].includes(rule.type) ? rule.type : rule.name === 'name' ? 'name' : undefined;

/** Browsers count steps from the minimum, so the minimum of an integer must be an integer too. */
const leastOf = ({ type, min }: FieldRule): number | undefined =>
  type === 'integer' && min !== undefined ? Math.ceil(min) : min;

const attributesOf = (rule: FieldRule, helpId: string | undefined): Attributes => ({
  type: inputType(rule),
  name: rule.name,
  autocomplete: remembered(rule),
  min: leastOf(rule),
  max: rule.max,
  step: rule.type === 'number' ? 'any' : undefined,
  minlength: rule.min_length,
  maxlength: rule.max_length,
  accept: rule.accept?.join(','),
  // An e-mail input with `multiple` sends all addresses as one text.
  multiple: rule.multiple && rule.type !== 'email',
  placeholder: rule.placeholder,
  required: rule.required,
  'aria-describedby': helpId,
});

const option = (choice: string): Element =>
  // Without a value attribute the text is the value, with whitespace collapsed.
  element('option', /^\S+(?: \S+)*$/.test(choice) ? {} : { value: choice }, choice);

function selectFor(rule: FieldRule, choices: readonly string[], helpId: string | undefined): Element {
  const { placeholder, ...attributes } = attributesOf(rule, helpId);
  const nothing = rule.multiple ? [] : [element('option', { value: '' }, rule.placeholder ?? '')];
  return element(
    'label',
    {},
    `${labelOf(rule)} `,
    element('select', attributes, ...nothing, ...choices.map(option)),
  );
}

function groupFor(
  rule: FieldRule,
  choices: readonly string[],
  helpId: string | undefined,
  help: readonly Element[],
): Element {
  // HTML cannot require one of several checkboxes.
  const attributes = rule.multiple ? { type: 'checkbox' } : { type: 'radio', required: rule.required };
  const inputs = choices.map((value) =>
    element('label', {}, element('input', { ...attributes, name: rule.name, value }), ` ${value}`),
  );
  return element(
    'fieldset',
    { 'aria-describedby': helpId },
    element('legend', {}, labelOf(rule)),
    ...inputs,
    ...help,
  );
}

/** A radio button cannot be unchecked, so an optional choice is a select. */
const isGroup = ({ type, choices = [], multiple, required = false }: FieldRule): boolean =>
  type === 'choice' &&
  (multiple ? choices.length <= mostCheckboxes : required && choices.length <= mostRadios);

function controlFor(rule: FieldRule, helpId: string | undefined): Element {
  const attributes = attributesOf(rule, helpId);
  if (rule.type === 'choice') return selectFor(rule, rule.choices ?? [], helpId);
  if (rule.type === 'boolean') return element('label', {}, element('input', attributes), ` ${labelOf(rule)}`);
  const tag = rule.type === 'textarea' ? 'textarea' : 'input';
  return element('label', {}, `${labelOf(rule)} `, element(tag, attributes));
}

function fieldFor(rule: FieldRule, place: number): Element {
  // The page sets its value.
  if (rule.type === 'hidden') return element('input', { type: 'hidden', name: rule.name });
  const helpId = rule.help === undefined ? undefined : `help-${place + 1}`;
  const help = rule.help === undefined ? [] : [element('small', { id: helpId }, rule.help.trim())];
  return isGroup(rule)
    ? groupFor(rule, rule.choices ?? [], helpId, help)
    : element('p', {}, controlFor(rule, helpId), ...help);
}

/** Off-screen, with a name that no browser remembers: invisible to people, screen readers and autofill. */
const honeypot = element(
  'div',
  { style: 'position: absolute; left: -9999px', 'aria-hidden': 'true' },
  element(
    'label',
    {},
    'Leave this empty ',
    element('input', {
      ...{ type: 'text', name: '_gotcha', tabindex: '-1', autocomplete: 'off' },
      ...{ 'data-1p-ignore': true, 'data-lpignore': 'true' },
    }),
  ),
);

export const formElements = (fields: readonly FieldRule[]): readonly Element[] => [
  ...fields.map(fieldFor),
  honeypot,
];
