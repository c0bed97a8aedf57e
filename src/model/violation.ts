import type { FieldRule } from '../contract/field-rule.js';

/** How a value can break the rules of a form. The codes are public. */
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

/** How visitors enter a value: by writing it, ticking a box, or choosing one, several or a file. */
export type EntryMode = 'write' | 'tick' | 'choose' | 'choose_some' | 'choose_file';

export const entryModeOf = ({ type, multiple }: Pick<FieldRule, 'type' | 'multiple'>): EntryMode => {
  if (type === 'boolean') return 'tick';
  if (type === 'file') return 'choose_file';
  if (type === 'choice') return multiple ? 'choose_some' : 'choose';
  return 'write';
};

export interface Violation {
  readonly field: string;
  /** The name of the field as visitors see it. */
  readonly label: string;
  readonly code: ViolationCode;
  /** The limit that was violated: a length, a number, a count or a size in bytes. */
  readonly limit: number | null;
  readonly entry: EntryMode;
}
