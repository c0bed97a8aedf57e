/** The rules of a form, compiled once for each version of its settings. Pure. */
import type { FieldRule, UnknownFields } from '../../contract/field-rule.js';
import { membersOf } from '../../kernel/json-outline.js';
import type { SubmittedValues } from '../../model/fields.js';
import { type EntryMode, entryModeOf, type Violation } from '../../model/violation.js';
import { isFilled, valueJudge, type Wrong } from './judge-value.js';

interface SentFile {
  readonly fieldName: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

export interface Rules {
  /** All violations, in the order of the rules; then fields without a rule, if they are rejected. */
  judge(values: SubmittedValues, files: readonly SentFile[]): readonly Violation[];
  /** Whether fields without a rule are dropped. */
  readonly dropsUnknown: boolean;
  has(name: string): boolean;
}

interface CompiledRule {
  readonly rule: FieldRule;
  /** Names such as `constructor`: without a value of its own, an object has the inherited one. */
  readonly isInherited: boolean;
  readonly entry: EntryMode;
  judge(value: unknown, files: readonly SentFile[]): Wrong | null;
}

const isAccepted = (accept: readonly string[], { filename, mimeType }: SentFile): boolean =>
  accept.some((wanted) => {
    if (wanted.startsWith('.')) return filename.toLowerCase().endsWith(wanted.toLowerCase());
    return wanted.endsWith('/*') ? mimeType.startsWith(wanted.slice(0, -1)) : mimeType === wanted;
  });

function judgeFiles(rule: FieldRule, files: readonly SentFile[]): Wrong | null {
  const { accept, max_bytes: maxBytes, multiple } = rule;
  const most = multiple ? rule.max_files : 1;
  if (most !== undefined && files.length > most) return { code: 'too_many', limit: most };
  if (accept && !files.every((file) => isAccepted(accept, file))) return { code: 'file_type', limit: null };
  if (maxBytes !== undefined && files.some(({ sizeBytes }) => sizeBytes > maxBytes))
    return { code: 'file_too_large', limit: maxBytes };
  return null;
}

function compile(rule: FieldRule): CompiledRule {
  const judgeValue = valueJudge(rule);
  return {
    rule,
    isInherited: rule.name in Object.prototype,
    entry: entryModeOf(rule),
    judge(value, files) {
      // A file where text is expected.
      if (rule.type !== 'file' && files.length > 0) return { code: 'file_type', limit: null };
      if (isFilled(value)) return judgeValue(value);
      if (files.length > 0) return judgeFiles(rule, files);
      return rule.required ? { code: 'required', limit: null } : null;
    },
  };
}

const noFiles: readonly SentFile[] = [];

/** Returns null when the form has no rules and accepts everything. */
export function compileRules(rules: readonly FieldRule[], unknown: UnknownFields): Rules | null {
  if (rules.length === 0) return null;
  const compiled = rules.map(compile);
  const names = new Set(rules.map(({ name }) => name));

  const withoutRule = (values: SubmittedValues, files: readonly SentFile[]): readonly Violation[] => {
    const sent = new Set([...Object.keys(values), ...files.map(({ fieldName }) => fieldName)]);
    return [...sent]
      .filter((name) => !names.has(name))
      .map((name) => ({ field: name, label: name, code: 'unknown_field', limit: null, entry: 'write' }));
  };

  return {
    dropsUnknown: unknown === 'drop',
    has: (name) => names.has(name),
    judge(values, files) {
      const violations: Violation[] = [];
      for (const { rule, isInherited, entry, judge } of compiled) {
        const value = isInherited && !Object.hasOwn(values, rule.name) ? undefined : values[rule.name];
        // Most fields that are not sent need not be: ten rules cost 0.55 instead of 0.67 µs.
        if (value === undefined && !rule.required && files.length === 0) continue;
        const own = files.length === 0 ? noFiles : files.filter(({ fieldName }) => fieldName === rule.name);
        const found = judge(value, own);
        if (found) violations.push({ field: rule.name, label: rule.label ?? rule.name, entry, ...found });
      }
      return unknown === 'reject' ? [...violations, ...withoutRule(values, files)] : violations;
    },
  };
}

/** Drops the fields that have no rule from the data. The others stay as they were written. */
export function withoutUnknown(rules: Rules, data: string): string {
  const members = [...membersOf(data)];
  const known = members.filter(({ name }) => rules.has(name));
  return known.length === members.length ? data : `{${known.map(({ source }) => source).join(',')}}`;
}
