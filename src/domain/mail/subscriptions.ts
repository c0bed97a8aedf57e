/**
 * Who gets the mails of a destination, and the link that unsubscribes them (RFC 8058). The link is sealed: it cannot be forged
 * for someone else, and does not reveal whom it is about. It never expires, because a mail may be read years later.
 */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { opened, type Sealer } from '../../kernel/secrets.js';
import type { Subscription } from '../../model/subscription.js';
import type { SuppressedAddress } from '../../model/suppression.js';
import type { SuppressionStore } from '../../ports/suppressions.js';

export const unsubscribePath = '/unsubscribe';
const longestToken = 800;

export interface Subscriptions {
  /** Relative to the base URL. The token is in the query, which is never logged. */
  linkOf(subscription: Subscription): string;
  /** Returns null when the token is not ours. */
  open(token: string): Subscription | null;
  /** Returns why the address gets no mails (unsubscribed, or another reason), or null when it does. */
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

    // Only for this destination: the reader cannot lift what applies to the whole account, such as a bounce.
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
