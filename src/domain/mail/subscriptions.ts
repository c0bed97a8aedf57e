/**
 * Who gets the mails of a destination, and the link by which they stop them (RFC 8058). It is sealed: it cannot be made up for
 * somebody else, and tells nobody whom it is about. It never expires: a mail may be read after years.
 */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Sealer } from '../../kernel/secrets.js';
import type { Subscription } from '../../model/subscription.js';
import type { SuppressedAddress } from '../../model/suppression.js';
import type { SuppressionStore } from '../../ports/suppressions.js';

export const unsubscribePath = '/unsubscribe';
const longestToken = 800;

export interface Subscriptions {
  /** Behind the base address. In its query, which no log holds. */
  linkOf(subscription: Subscription): string;
  /** null: it is none of ours. */
  open(token: string): Subscription | null;
  /** Why it gets no mails: unsubscribed, or for another reason; null: it does. */
  suppression(subscription: Subscription): Promise<SuppressedAddress | null>;
  isUnsubscribed(subscription: Subscription): Promise<boolean>;
  unsubscribe(subscription: Subscription): Promise<void>;
  resubscribe(subscription: Subscription): Promise<void>;
}

export function createSubscriptions(deps: {
  readonly suppressions: SuppressionStore;
  readonly sealer: Sealer;
  readonly clock: Clock;
}): Subscriptions {
  const { suppressions, sealer, clock } = deps;
  const found = ({ accountId, destinationId, address }: Subscription) =>
    suppressions.among(accountId, destinationId, [address]);

  return {
    linkOf: ({ accountId, destinationId, address }) =>
      `${unsubscribePath}?token=${sealer.seal(`${accountId} ${destinationId} ${address}`)}`,

    open(token) {
      if (token.length > longestToken) return null;
      const [accountId = '', destinationId = '', address = ''] = opened(sealer, token).split(' ');
      return isUuid(accountId) && isUuid(destinationId) ? { accountId, destinationId, address } : null;
    },

    suppression: async (subscription) => (await found(subscription))[0] ?? null,

    // Only for this destination: what holds for the whole account, such as a bounce, is not the reader's to lift.
    isUnsubscribed: async (subscription) =>
      (await found(subscription)).some(({ destinationId }) => destinationId === subscription.destinationId),

    unsubscribe(subscription) {
      const now = clock.now();
      return suppressions.add({
        ...subscription,
        id: newId(now),
        reason: 'unsubscribed',
        detail: '',
        createdAt: now,
      });
    },

    async resubscribe({ accountId, destinationId, address }) {
      await suppressions.liftAddress(accountId, destinationId, address);
    },
  };
}

function opened(sealer: Sealer, token: string): string {
  try {
    return sealer.open(token);
  } catch {
    return '';
  }
}
