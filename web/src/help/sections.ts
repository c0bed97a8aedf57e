/** The documentation page for each settings section, by section title. */
import * as titles from '../words/sections.js';
import type { DocumentPlace } from './document-link.js';

export const sectionPlaces: ReadonlyMap<string, DocumentPlace> = new Map([
  [titles.afterSubmitting, 'guides/visitor-pages.md'],
  [titles.aliases, 'migrate/index.md'],
  [titles.automaticReply, 'guides/email.md'],
  [titles.delivery, 'guides/webhooks.md'],
  [titles.doubleOptIn, 'guides/email.md'],
  [titles.hostedPage, 'guides/hosted-page.md'],
  [titles.importing, 'guides/import.md'],
  [titles.limitsAndRetention, 'guides/retention.md'],
  [titles.notifications, 'guides/email.md'],
  [titles.openingTimes, 'guides/fields.md'],
  [titles.privacy, 'guides/retention.md'],
  [titles.spam, 'guides/spam.md'],
  [titles.thankYouPage, 'guides/visitor-pages.md'],
  [titles.whoMaySubmit, 'guides/allowed-origins.md'],
]);
