/** The help text and documentation page for each dashboard page. The first matching path wins. */
import * as words from '../words/help.js';
import type { DocumentPlace } from './document-link.js';

interface PageHelp {
  /** Below /dashboard, as in routes.tsx. */
  readonly path: RegExp;
  readonly about: string;
  readonly place: DocumentPlace;
}

const start: PageHelp = {
  path: /^\/(first-run|projects|forms)/,
  about: words.start,
  place: 'tutorial/first-form.md',
};

export const pageHelp: readonly PageHelp[] = [
  { path: /^\/$/, about: words.overview, place: 'guides/monitoring.md' },
  { path: /^\/inbox/, about: words.inbox, place: 'guides/inbox.md' },
  { path: /^\/projects\/.*\/settings/, about: words.projectSettings, place: 'guides/going-live.md' },
  { path: /^\/forms\/.*\/settings/, about: words.formSettings, place: 'guides/going-live.md' },
  { path: /\/fields$/, about: words.fields, place: 'guides/fields.md' },
  { path: /\/snippets$/, about: words.snippets, place: 'guides/html.md' },
  { path: /\/import$/, about: words.importing, place: 'guides/import.md' },
  { path: /\/rejections$/, about: words.rejections, place: 'guides/allowed-origins.md' },
  { path: /\/quarantine$/, about: words.quarantine, place: 'guides/spam.md' },
  { path: /\/deliveries$/, about: words.deliveries, place: 'explanation/delivery.md' },
  { path: /\/destinations\b/, about: words.destinations, place: 'guides/destinations/index.md' },
  { path: /^\/submissions\//, about: words.submission, place: 'guides/inbox.md' },
  { path: /^\/suppressed-addresses/, about: words.suppressedAddresses, place: 'guides/email.md' },
  { path: /^\/api-keys/, about: words.apiKeys, place: 'guides/users.md' },
  { path: /^\/person/, about: words.person, place: 'guides/privacy-requests.md' },
  { path: /^\/users/, about: words.users, place: 'guides/users.md' },
  { path: /^\/your-account/, about: words.yourAccount, place: 'guides/users.md' },
  { path: /^\/single-sign-on/, about: words.singleSignOn, place: 'guides/single-sign-on.md' },
  { path: /^\/audit/, about: words.auditLog, place: 'guides/audit-log.md' },
  { path: /^\/plan/, about: words.plan, place: 'reference/settings.md' },
  { path: /^\/instance/, about: words.instance, place: 'guides/monitoring.md' },
  start,
];

export const helpFor = (path: string): PageHelp => pageHelp.find((one) => one.path.test(path)) ?? start;
