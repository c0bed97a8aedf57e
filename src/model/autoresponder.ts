/** What a form replies to its visitors, and whom. */
import type { Autoresponder } from '../contract/autoresponder.js';
import { type SuppressedReplyReason, suppressedReplyReasons } from '../contract/suppression.js';
import { isPlainAddress } from '../kernel/email-address.js';

/** What its owner may leave out. */
export const usualAutoresponder = {
  enabled: true,
  html: null,
  from_name: null,
  reply_to: null,
  language: 'en',
  per_address_per_day: 3,
  per_day: 1_000,
} as const satisfies Partial<Autoresponder>;

/** The one address that the field holds; null: none, or more than an address. */
export function visitorAddress(fields: Readonly<Record<string, unknown>>, field: string): string | null {
  const value = Object.hasOwn(fields, field) ? fields[field] : null;
  const address = typeof value === 'string' ? value.trim() : '';
  return isPlainAddress(address) ? address : null;
}

/** Nobody reads there, or a program does that might answer for ever. */
const automatic =
  /^(?:(?:do[._-]?)?not?[._-]?reply|mailer[._-]?daemon|postmaster|bounces?|abuse|listserv|majordomo)(?:[+=._-]|@)|-(?:request|bounces?|owner)@|^owner-/i;

export const isAutomaticAddress = (address: string): boolean => automatic.test(address);

/** As the error of an attempt names it: `suppressed: bounced: 550 …`. */
export const suppressedReason = (error: string | null): SuppressedReplyReason | null =>
  suppressedReplyReasons.find((reason) => error?.startsWith(`suppressed: ${reason}`)) ?? null;
