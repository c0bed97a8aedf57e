/** Validates the settings of a double opt-in beyond their shape. */
import type { DoubleOptIn } from '../../contract/double-opt-in.js';
import { type Fault, refuse } from '../../model/errors.js';
import { parseText } from '../planning/template.js';

const linkTag = /\{\{\s*confirm_url\s*\}\}/;

function templateFaults(
  setting: string,
  name: 'subject' | 'text' | 'html',
  text: string | null,
): readonly Fault[] {
  if (text === null) return [];
  const path = `${setting}.${name}`;
  const parsed = parseText(text);
  if ('message' in parsed) return [{ path, message: parsed.message }];
  if (name !== 'subject' && !linkTag.test(text))
    return [{ path, message: 'must have {{confirm_url}} in it' }];
  return [];
}

/** `setting`: the path that the reported faults begin with. */
export function refuseBadOptIn(setting: string, { subject, text, html }: DoubleOptIn): void {
  const faults = [
    ...templateFaults(setting, 'subject', subject),
    ...templateFaults(setting, 'text', text),
    ...templateFaults(setting, 'html', html),
  ];
  if (faults.length > 0) throw refuse.invalidBody(faults);
}
