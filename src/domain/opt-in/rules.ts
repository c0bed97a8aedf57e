/** What the settings of a double opt-in must be, beyond their shape. */
import type { DoubleOptIn } from '../../contract/double-opt-in.js';
import { type Fault, refuse } from '../../model/errors.js';
import { parseText } from '../planning/template.js';

const linkTag = /\{\{\s*confirm_url\s*\}\}/;

function templateFaults(name: 'subject' | 'text' | 'html', text: string | null): readonly Fault[] {
  if (text === null) return [];
  const path = `double_opt_in.${name}`;
  const parsed = parseText(text);
  if ('message' in parsed) return [{ path, message: parsed.message }];
  if (name !== 'subject' && !linkTag.test(text))
    return [{ path, message: 'must have {{confirm_url}} in it' }];
  return [];
}

export function refuseBadOptIn({ subject, text, html }: DoubleOptIn): void {
  const faults = [
    ...templateFaults('subject', subject),
    ...templateFaults('text', text),
    ...templateFaults('html', html),
  ];
  if (faults.length > 0) throw refuse.invalidBody(faults);
}
