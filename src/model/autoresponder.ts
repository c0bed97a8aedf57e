/** Automatic replies to a form's visitors, and their recipients. */
import type { Autoresponder } from '../contract/autoresponder.js';
import { type SuppressedReplyReason, suppressedReplyReasons } from '../contract/suppression.js';
import { isPlainAddress } from '../kernel/email-address.js';

/** Defaults for what the owner can leave out. */
export const usualAutoresponder = {
  enabled: true,
  html: null,
  from_name: null,
  reply_to: null,
  language: 'en',
  per_address_per_day: 3,
  per_day: 1_000,
} as const satisfies Partial<Autoresponder>;

/** Returns the address in the field, or null when the field is not exactly one address. */
export function visitorAddress(fields: Readonly<Record<string, unknown>>, field: string): string | null {
  const value = Object.hasOwn(fields, field) ? fields[field] : null;
  const address = typeof value === 'string' ? value.trim() : '';
  return isPlainAddress(address) ? address : null;
}

/** Addresses that nobody reads, or where a program might reply in an endless loop. */
const automatic =
  /^(?:(?:do[._-]?)?not?[._-]?reply|mailer[._-]?daemon|postmaster|bounces?|abuse|listserv|majordomo)(?:[+=._-]|@)|-(?:request|bounces?|owner)@|^owner-/i;

export const isAutomaticAddress = (address: string): boolean => automatic.test(address);

/** Parses the reason from the error of an attempt: `suppressed: bounced: 550 …`. */
export const suppressedReason = (error: string | null): SuppressedReplyReason | null =>
  suppressedReplyReasons.find((reason) => error?.startsWith(`suppressed: ${reason}`)) ?? null;
