/** The fields of a snippet, each as a rule: those of the form's rules, otherwise those seen in submissions, otherwise a contact form. */
import type { FieldRule } from '../../../contract/field-rule.js';
import { readableName } from '../../fields/suggest.js';

/** A field seen in submissions. */
export interface ArrivedField {
  /** The share of submissions that have a value for it, from 0 to 1. */
  readonly share: number;
  /** null: no rule fits. */
  readonly suggested: FieldRule | null;
}

/** Bots make up field names: what is rarer than this is not an input of the form. */
const leastShare = 0.05;
const mostArrived = 50;

export const labelOf = ({ label, name }: FieldRule): string => (label ?? readableName(name)).trim();

const contact: readonly FieldRule[] = [
  { name: 'name', type: 'text', required: true },
  { name: 'email', type: 'email', label: 'E-mail', required: true },
  { name: 'message', type: 'textarea', required: true },
  { name: 'file', type: 'file' },
];

/** Whether only fields of the contact form have arrived, as after a test submission. The form itself knows more about them. */
function isOfContactForm(arrived: readonly FieldRule[]): boolean {
  const isKnown = arrived.every(({ name }) => contact.some((field) => field.name === name));
  const needed = contact.filter(({ required }) => required);
  return isKnown && needed.every(({ name }) => arrived.some((field) => field.name === name));
}

export function fieldsFor(
  rules: readonly FieldRule[],
  arrived: readonly ArrivedField[],
  takesFiles: boolean,
): readonly FieldRule[] {
  const common = arrived.flatMap(({ share, suggested }) =>
    suggested !== null && share >= leastShare ? [suggested] : [],
  );
  const isContact = common.length === 0 || isOfContactForm(common);
  const likely = isContact ? contact : common.slice(0, mostArrived);
  const all = rules.length > 0 ? rules : likely;
  return takesFiles ? all : all.filter(({ type }) => type !== 'file');
}
