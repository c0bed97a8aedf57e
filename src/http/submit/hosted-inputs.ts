/**
 * The inputs of a hosted page, one for each rule: a label, help, an error, and the constraints that a browser can check itself.
 * Everything that an owner or a visitor wrote is escaped.
 */
import type { FieldRule, FieldType } from '../../contract/field-rule.js';
import { shownCharacters } from '../../kernel/hidden-characters.js';
import { escapeHtml } from '../../kernel/html.js';
import type { Language } from '../../kernel/language.js';
import { type HostedWords, hostedWords } from './hosted-words.js';
import { pageNumbers } from './page-numbers.js';
import type { FieldValues } from './prefill.js';

export interface Entered {
  readonly language: Language;
  readonly values: FieldValues;
  /** Error messages by field name. */
  readonly messages: ReadonlyMap<string, string>;
}

type Attribute = string | number | boolean | undefined;

const attributes = (all: Readonly<Record<string, Attribute>>): string =>
  Object.entries(all)
    .map(([name, value]) => {
      if (value === undefined || value === false) return '';
      return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
    })
    .join('');

export const textHtml = (text: string): string => escapeHtml(shownCharacters(text));

/** By position: a name that the owner chose could be the id of another element of the page. */
export const idOf = (place: number): string => `i${place}`;

/** Few enough to show all at once. */
const maxRadios = 6;
const trueTexts = ['yes', 'on', 'true', '1'];

const autocomplete: Readonly<Partial<Record<FieldType, string>>> = { email: 'email', url: 'url', tel: 'tel' };

/** A field to be rendered. */
interface Field {
  readonly rule: FieldRule;
  readonly id: string;
  readonly values: readonly string[];
  readonly words: HostedWords;
  readonly label: string;
  /** Help and error as HTML, shown above the input. */
  readonly notes: string;
  /** ARIA attributes of the input or group that the notes describe. */
  readonly described: Readonly<Record<string, Attribute>>;
}

const stepOf = ({ type, min }: FieldRule): Readonly<Record<string, Attribute>> => {
  if (type === 'number') return { min, step: 'any' };
  // An integer's steps start at its minimum, which must then be an integer too.
  return type === 'integer' ? { min: min === undefined ? undefined : Math.ceil(min), step: 1 } : {};
};

function inputHtml({ rule, id, values: [value = ''], described }: Field): string {
  const { type } = rule;
  return `<input${attributes({
    id,
    name: rule.name,
    // The HTML types have the same names as ours.
    type: type === 'integer' ? 'number' : type,
    value: value === '' ? undefined : value,
    ...stepOf(rule),
    max: rule.max,
    minlength: rule.min_length,
    maxlength: rule.max_length,
    placeholder: rule.placeholder,
    autocomplete: autocomplete[type],
    required: rule.required,
    ...described,
  })}>`;
}

function textareaHtml({ rule, id, values: [value = ''], described }: Field): string {
  const all = attributes({
    id,
    name: rule.name,
    rows: 5,
    minlength: rule.min_length,
    maxlength: rule.max_length,
    placeholder: rule.placeholder,
    required: rule.required,
    ...described,
  });
  // The HTML parser drops the first line break.
  return `<textarea${all}>\n${escapeHtml(value)}</textarea>`;
}

const fileHtml = ({ rule, id, described }: Field): string =>
  `<input${attributes({
    id,
    name: rule.name,
    type: 'file',
    accept: rule.accept?.join(','),
    multiple: rule.multiple,
    required: rule.required,
    ...described,
  })}>`;

function selectHtml({ rule, id, values: [value], words, described }: Field): string {
  const options = (rule.choices ?? []).map(
    (choice) =>
      `<option${attributes({ value: choice, selected: choice === value })}>${textHtml(choice)}</option>`,
  );
  const all = attributes({ id, name: rule.name, required: rule.required, ...described });
  return `<select${all}><option value="">${words.choose}</option>${options.join('')}</select>`;
}

const labelled = ({ id, label, notes }: Field, input: string): string =>
  `<div class="field"><label for="${id}">${label}</label>${notes}${input}</div>`;

function groupHtml(field: Field, type: 'radio' | 'checkbox'): string {
  const { rule, id, values, label, notes, described } = field;
  const { name, required, choices = [] } = rule;
  const chosen = type === 'radio' ? values.slice(0, 1) : values;
  const inputs = choices.map((choice, place) => {
    const all = attributes({
      id: place === 0 ? id : undefined,
      name,
      type,
      value: choice,
      checked: chosen.includes(choice),
      // For checkboxes, a browser would require every one.
      required: type === 'radio' && required,
    });
    return `<label class="choice"><input${all}> <bdi>${textHtml(choice)}</bdi></label>`;
  });
  const { 'aria-describedby': by } = described;
  return `<fieldset class="field"${attributes({ 'aria-describedby': by })}><legend>${label}</legend>${notes}${inputs.join('')}</fieldset>`;
}

function booleanHtml({ rule, id, values, label, notes, described }: Field): string {
  const all = attributes({
    id,
    name: rule.name,
    type: 'checkbox',
    value: 'yes',
    checked: trueTexts.includes((values[0] ?? '').toLowerCase()),
    required: rule.required,
    ...described,
  });
  return `<div class="field"><label class="choice"><input${all}> <span>${label}</span></label>${notes}</div>`;
}

function fieldHtml(field: Field): string {
  const { rule, id, values } = field;
  switch (rule.type) {
    case 'hidden':
      return `<input${attributes({ id, type: 'hidden', name: rule.name, value: values[0] ?? '' })}>`;
    case 'textarea':
      return labelled(field, textareaHtml(field));
    case 'boolean':
      return booleanHtml(field);
    case 'file':
      return labelled(field, fileHtml(field));
    case 'choice':
      if (rule.multiple) return groupHtml(field, 'checkbox');
      // A radio button cannot be unselected, so an optional field is a select.
      return rule.required && (rule.choices?.length ?? 0) <= maxRadios
        ? groupHtml(field, 'radio')
        : labelled(field, selectHtml(field));
    default:
      return labelled(field, inputHtml(field));
  }
}

function helpOf({ help, type, max_bytes: maxBytes }: FieldRule, language: Language): string {
  const limit =
    type === 'file' && maxBytes !== undefined
      ? hostedWords[language].upTo(pageNumbers(language).size(maxBytes))
      : '';
  return [help ?? '', limit].filter((text) => text !== '').join(' ');
}

function fieldOf(rule: FieldRule, place: number, { language, values, messages }: Entered): Field {
  const words = hostedWords[language];
  const id = idOf(place);
  const help = helpOf(rule, language);
  const message = messages.get(rule.name) ?? '';
  const helpHtml = help === '' ? '' : `<p class="help" id="${id}-help">${textHtml(help)}</p>`;
  // Even without an error: the browser script puts its message into the same element.
  const wrongHtml = `<p class="wrong" id="${id}-wrong"${attributes({ 'data-inlet-error': rule.name })}>${textHtml(message)}</p>`;
  const ids = [help && `${id}-help`, message && `${id}-wrong`].filter((each) => each !== '');
  const optional = rule.required ? '' : ` <span class="optional">${words.optional}</span>`;
  return {
    rule,
    id,
    words,
    values: values.get(rule.name) ?? [],
    label: `<bdi>${textHtml(rule.label ?? rule.name)}</bdi>${optional}`,
    notes: helpHtml + wrongHtml,
    described: {
      'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
      'aria-invalid': message === '' ? undefined : 'true',
    },
  };
}

export const inputsHtml = (rules: readonly FieldRule[], entered: Entered): string =>
  rules.map((rule, place) => fieldHtml(fieldOf(rule, place, entered))).join('\n');
