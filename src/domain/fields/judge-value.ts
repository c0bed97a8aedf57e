/** Checks values against the rule of their field. Pure; each rule is compiled once. */
import type { FieldRule } from '../../contract/field-rule.js';
import type { ViolationCode } from '../../model/violation.js';
import { booleanTexts, maxEmailLength, maxUrlLength, patterns } from './patterns.js';

export interface Wrong {
  readonly code: ViolationCode;
  readonly limit: number | null;
}

/** Returns null when nothing is wrong with the value. */
export type JudgeValue = (value: unknown) => Wrong | null;

const wrong = (code: ViolationCode, limit: number | null = null): Wrong => ({ code, limit });
const tooMany = wrong('too_many', 1);

/** No value, blank text and an empty list count as not filled in: forms send every input, filled in or not. */
export const isFilled = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() !== ''
    : value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** Counts code points. A line break counts once, as for `maxlength`, although browsers send it as two characters. */
function lengthOf(text: string): number {
  let length = 0;
  for (const character of text) if (character !== '\r') length += 1;
  return text.includes('\r') ? length + (text.match(/\r(?!\n)/g)?.length ?? 0) : length;
}

function lengthJudge({ min_length: least = 0, max_length: most }: FieldRule): (text: string) => Wrong | null {
  return (text) => {
    // A code point is one or two units of a string, so most texts need no counting.
    if (text.length >= 2 * least && text.length <= (most ?? Infinity)) return null;
    const length = lengthOf(text);
    if (length < least) return wrong('too_short', least);
    return most !== undefined && length > most ? wrong('too_long', most) : null;
  };
}

function textJudge(rule: FieldRule): JudgeValue {
  const judgeLength = lengthJudge(rule);
  return (value) => {
    if (typeof value === 'string') return judgeLength(value);
    if (typeof value === 'object') return tooMany;
    // 1e999 parses as infinity, which JSON cannot represent.
    return typeof value === 'number' && !Number.isFinite(value) ? wrong('type_number') : null;
  };
}

function shapeJudge(
  rule: FieldRule,
  pattern: string,
  code: ViolationCode,
  maxLength = Number.POSITIVE_INFINITY,
): JudgeValue {
  const shape = new RegExp(pattern, 'u');
  const judgeLength = lengthJudge(rule);
  const failure = wrong(code);
  return (value) =>
    typeof value === 'string' && value.length <= maxLength && shape.test(value)
      ? judgeLength(value)
      : failure;
}

function numberJudge(
  { min, max }: FieldRule,
  pattern: string,
  isNumber: (value: unknown) => boolean,
): JudgeValue {
  const shape = new RegExp(pattern, 'u');
  const failure = wrong('type_number');
  return (value) => {
    const isText = typeof value === 'string' && shape.test(value);
    if (!isText && !isNumber(value)) return failure;
    const number = Number(value);
    if (min !== undefined && number < min) return wrong('too_small', min);
    return max !== undefined && number > max ? wrong('too_large', max) : null;
  };
}

function choiceJudge(choices: ReadonlySet<unknown>): JudgeValue {
  const failure = wrong('not_a_choice');
  return (value) => (choices.has(value) ? null : failure);
}

/** Judges a single value. */
function singleJudge(rule: FieldRule): JudgeValue {
  switch (rule.type) {
    case 'text':
    case 'textarea':
    case 'tel':
    case 'hidden':
      return textJudge(rule);
    case 'email':
      return shapeJudge(rule, patterns.email, 'type_email', maxEmailLength);
    case 'url':
      return shapeJudge(rule, patterns.url, 'type_url', maxUrlLength);
    case 'number':
      return numberJudge(rule, patterns.number, Number.isFinite);
    case 'integer':
      return numberJudge(rule, patterns.integer, Number.isInteger);
    case 'date':
      return shapeJudge(rule, patterns.date, 'type_date');
    case 'time':
      return shapeJudge(rule, patterns.time, 'type_date');
    case 'boolean':
      return choiceJudge(new Set<unknown>([true, false, ...booleanTexts]));
    case 'choice':
      return choiceJudge(new Set<unknown>(rule.choices));
    case 'file':
      return () => wrong('file_type');
  }
}

/** Judges a value that is filled in. */
export function valueJudge(rule: FieldRule): JudgeValue {
  const judge = singleJudge(rule);
  if (rule.type === 'file') return judge;
  if (!rule.multiple) return (value) => (typeof value === 'object' ? tooMany : judge(value));
  return (value) => {
    if (!Array.isArray(value)) return judge(value);
    for (const item of value) {
      const found = judge(item);
      if (found) return found;
    }
    return null;
  };
}
