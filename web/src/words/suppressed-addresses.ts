/** Addresses that receive no more e-mail. */
import type { SuppressedAddress } from '../wire.js';

export const description = 'These addresses get no more e-mail: it bounced, or their owners unsubscribed.';
export const nothing = 'No address is suppressed';
export const nothingHint = 'An address is listed here when it bounces or when its owner unsubscribes.';
export const reason = 'Reason';
export const since = 'Since';
export const reasons: Readonly<Record<SuppressedAddress['reason'], string>> = {
  bounced: 'Bounced',
  unsubscribed: 'Unsubscribed',
  complained: 'Complained',
};
export const oneDestination = 'One destination';
export const allMails = 'All e-mail';
export const scope = 'Covers';
export const lift = 'Send again';
export const liftNamed = (address: string): string => `Send again to ${address}`;
export const lifted = (address: string): string => `${address} gets e-mail again`;
export const notLifted = 'The address is still suppressed';
export const showMore = 'Show more';
