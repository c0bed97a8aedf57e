import type { FieldRule } from '../contract/field-rule.js';

/** What a value must not be, by the rules of a form. The codes are published. */
export type ViolationCode =
  | 'required'
  | 'type_email'
  | 'type_url'
  | 'type_number'
  | 'type_date'
  | 'too_short'
  | 'too_long'
  | 'too_small'
  | 'too_large'
  | 'not_a_choice'
  | 'too_many'
  | 'file_type'
  | 'file_too_large'
  | 'unknown_field';

/** How visitors give a value: by writing it, ticking a box, or choosing one, some or a file. */
export type EntryMode = 'write' | 'tick' | 'choose' | 'choose_some' | 'choose_file';

export const entryModeOf = ({ type, multiple }: Pick<FieldRule, 'type' | 'multiple'>): EntryMode => {
  if (type === 'boolean') return 'tick';
  if (type === 'file') return 'choose_file';
  if (type === 'choice') return multiple ? 'choose_some' : 'choose';
  return 'write';
};

export interface Violation {
  readonly field: string;
  /** What the visitor calls it. */
  readonly label: string;
  readonly code: ViolationCode;
  /** What was passed: a length, a number, a count or a size in bytes. */
  readonly limit: number | null;
  readonly entry: EntryMode;
}
