/** What a destination of kind email is set to, with what its config leaves out. Stored configs of earlier releases have only addresses. */
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

/** As values of a field and of a route are compared. */
export const routeKey = (value: string): string => value.trim().toLowerCase();

/** Of a list, such as checkboxes, so many are looked at. */
const maxValues = 50;

/** Those that the field's value stands for: never what a visitor typed, only what the owner listed. */
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

/** Whom it may mail at all, whatever a submission says. */
export const addressesIn = ({ to, cc, bcc, route = null }: EmailConfig): readonly string[] =>
  distinctAddresses([
    ...to,
    ...cc,
    ...bcc,
    ...(route === null ? [] : [...Object.values(route.map).flat(), ...route.otherwise]),
  ]);
