/** Checks the templates of a mail to visitors when the owner saves them. */
import { refuse } from '../../model/errors.js';
import { parseText } from './template.js';

/** Throws if a template does not parse. null means that there is none. */
export function refuseBadTemplates(
  setting: string,
  templates: Readonly<Record<'subject' | 'text' | 'html', string | null>>,
): void {
  const faults = (['subject', 'text', 'html'] as const).flatMap((name) => {
    const parsed = parseText(templates[name] ?? '');
    return 'message' in parsed ? [{ path: `${setting}.${name}`, message: parsed.message }] : [];
  });
  if (faults.length > 0) throw refuse.invalidBody(faults);
}
