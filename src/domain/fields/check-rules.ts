/** Finds rules that make no sense: they contradict each other or have no effect. Pure. */
import type { FieldRule, FieldType } from '../../contract/field-rule.js';
import { type Fault, refuse } from '../../model/errors.js';
import { isReserved } from '../../model/fields.js';

/** For all rules as JSON: every submission is checked against them, and every response about the form contains them. */
export const maxRulesLength = 64 * 1024;

const texts: readonly FieldType[] = ['text', 'textarea', 'email', 'url', 'tel', 'hidden'];
const numbers: readonly FieldType[] = ['number', 'integer'];

/** The types that each setting applies to. */
const belongsTo: Readonly<Partial<Record<keyof FieldRule, readonly FieldType[]>>> = {
  min: numbers,
  max: numbers,
  min_length: texts,
  max_length: texts,
  choices: ['choice'],
  multiple: ['choice', 'email', 'file'],
  accept: ['file'],
  max_files: ['file'],
  max_bytes: ['file'],
};

function* misplacedIn(rule: FieldRule): Generator<[string, string]> {
  for (const [setting, types] of Object.entries(belongsTo)) {
    const isSet = Object.hasOwn(rule, setting) && rule[setting as keyof FieldRule] !== false;
    if (isSet && !types.includes(rule.type))
      yield [setting, `${setting} contradicts type: a field of type ${rule.type} has none`];
  }
}

function* contradictionsIn(rule: FieldRule): Generator<[string, string]> {
  const { type, min, max, min_length: shortest, max_length: longest } = rule;
  yield* misplacedIn(rule);
  // 1e999 parses as infinity, which would be stored as null.
  for (const [setting, bound] of Object.entries({ min, max }))
    if (bound !== undefined && !Number.isFinite(bound)) yield [setting, 'must be a finite number'];
  if (isReserved(rule.name))
    yield ['name', 'is reserved: a field of this name steers Inlet and is never part of the data'];
  if (type === 'choice' && rule.choices === undefined)
    yield ['choices', 'choices contradicts type: a field of type choice needs some'];
  if (min !== undefined && max !== undefined) {
    if (min > max) yield ['min', `min contradicts max: ${min} is more than ${max}`];
    else if (type === 'integer' && Math.ceil(min) > Math.floor(max))
      yield ['min', `min contradicts max: there is no integer from ${min} to ${max}`];
  }
  if (shortest !== undefined && longest !== undefined && shortest > longest)
    yield ['min_length', `min_length contradicts max_length: ${shortest} is more than ${longest}`];
  if (rule.required && longest === 0)
    yield ['max_length', 'max_length contradicts required: a value has a character at least'];
  if (rule.max_files !== undefined && rule.max_files > 1 && !rule.multiple)
    yield ['max_files', 'max_files contradicts multiple: without it a field takes one file'];
}

export function faultsOfRules(rules: readonly FieldRule[]): readonly Fault[] {
  if (JSON.stringify(rules).length > maxRulesLength)
    return [{ path: 'fields', message: `must have at most ${maxRulesLength} characters as JSON` }];
  const places = new Map<string, number>();
  return rules.flatMap((rule, place) => {
    const faults = [...contradictionsIn(rule)];
    const before = places.get(rule.name);
    if (before === undefined) places.set(rule.name, place);
    else faults.push(['name', `name contradicts fields.${before}.name, which is the same`]);
    return faults.map(([setting, message]) => ({ path: `fields.${place}.${setting}`, message }));
  });
}

/** As many as a response lists. */
const maxFaults = 50;

export function refuseBadRules(rules: readonly FieldRule[]): void {
  const faults = faultsOfRules(rules);
  if (faults.length > 0) throw refuse.invalidBody(faults.slice(0, maxFaults));
}
