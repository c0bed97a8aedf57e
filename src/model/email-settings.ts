/** The settings of an e-mail destination: its config with defaults. Stored configs of earlier releases have only addresses. */
import type { EmailConfig } from '../contract/destination.js';
import { distinctAddresses } from '../kernel/email-address.js';

export type EmailSettings = Readonly<Required<EmailConfig>>;

export const emailSettings = (config: EmailConfig): EmailSettings => ({
  route: null,
  subject: null,
  text: null,
  html: null,
  reply_to: 'visitor',
  from_name: null,
  language: 'en',
  files: 'links',
  max_attached_bytes: 5 * 1024 * 1024,
  digest: null,
  ...config,
});

/** The form in which values of a field and of a route are compared. */
export const routeKey = (value: string): string => value.trim().toLowerCase();

/** In a list, such as checkboxes, only this many values are checked. */
const maxValues = 50;

/** The addresses that the route maps the field's value to: only what the owner listed, never what a visitor typed. */
export function routedTo(
  { route = null }: EmailConfig,
  fields: () => Readonly<Record<string, unknown>>,
): readonly string[] {
  if (route === null) return [];
  const all = fields();
  const value = Object.hasOwn(all, route.field) ? all[route.field] : null;
  const keys = (Array.isArray(value) ? value.slice(0, maxValues) : [value]).map((one) =>
    routeKey(String(one)),
  );
  const chosen = Object.entries(route.map).flatMap(([name, addresses]) =>
    keys.includes(routeKey(name)) ? addresses : [],
  );
  return chosen.length > 0 ? distinctAddresses(chosen) : route.otherwise;
}

/** All addresses that it can mail, regardless of the submission. */
export const addressesIn = ({ to, cc, bcc, route = null }: EmailConfig): readonly string[] =>
  distinctAddresses([
    ...to,
    ...cc,
    ...bcc,
    ...(route === null ? [] : [...Object.values(route.map).flat(), ...route.otherwise]),
  ]);
