/** Renders the templates of a mail when it is sent, with the same values as all other templates. */
import type { DeliverySubject } from '../../ports/deliveries.js';
import { type Links, shareEvent } from './event.js';
import { compiledTemplate } from './plan.js';

/** For all templates of one mail, which share one allowance. */
export const mailTemplates = (links: Links) => (about: DeliverySubject) => {
  const source = { ...about, files: about.submission.files };
  const event = shareEvent(source, 'submission.created', links);
  return (template: string, encode: (value: string) => string): string =>
    event.for(compiledTemplate(JSON.stringify(template))).renderText(encode) ?? '';
};
