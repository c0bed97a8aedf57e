/** The fields that a snippet has: those of the rules, else what arrived, else a contact form. Each as a rule. */
import type { FieldRule } from '../../../contract/field-rule.js';
import { readableName } from '../../fields/suggest.js';

/** What submissions had. */
export interface ArrivedField {
  /** Of the submissions that have a value for it; 0 to 1. */
  readonly share: number;
  /** null: no rule fits. */
  readonly suggested: FieldRule | null;
}

/** Bots send names of their own: what is rarer than this is no input of the form. */
const leastShare = 0.05;
const mostArrived = 50;

export const labelOf = ({ label, name }: FieldRule): string => (label ?? readableName(name)).trim();

const contact: readonly FieldRule[] = [
  { name: 'name', type: 'text', required: true },
  { name: 'email', type: 'email', label: 'E-mail', required: true },
  { name: 'message', type: 'textarea', required: true },
  { name: 'file', type: 'file' },
];

export function fieldsFor(
  rules: readonly FieldRule[],
  arrived: readonly ArrivedField[],
  takesFiles: boolean,
): readonly FieldRule[] {
  const common = arrived.flatMap(({ share, suggested }) =>
    suggested !== null && share >= leastShare ? [suggested] : [],
  );
  const likely = rules.length > 0 ? rules : common.slice(0, mostArrived);
  const all = likely.length > 0 ? likely : contact;
  return takesFiles ? all : all.filter(({ type }) => type !== 'file');
}
