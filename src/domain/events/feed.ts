/**
 * Live events of an account, for open pages: new and changed submissions, webhooks, destinations and audit entries. An event is
 * only a hint to refetch: events may be lost, and none are stored for clients that were disconnected.
 */

import type { Timers } from '../../kernel/clock.js';
import type { WebhookState } from '../../model/delivery.js';
import { isInReach, type Reach } from '../../model/reach.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';

interface OfSubmission {
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
}

export type LiveEvent =
  | (OfSubmission & { readonly kind: 'submission.created'; readonly createdAt: number })
  | (OfSubmission & { readonly kind: 'delivery.changed'; readonly webhookState: WebhookState })
  | {
      readonly kind: 'submission.changed';
      /** Empty: too many to list. */
      readonly submissionIds: readonly string[];
      readonly formId: string;
      readonly projectId: string;
    }
  | {
      readonly kind: 'audit.recorded';
      readonly seq: number;
      readonly action: string;
      /** Always null: audit entries belong to the account. */
      readonly formId: null;
      readonly projectId: null;
    }
  | {
      readonly kind: 'destination.failing' | 'destination.recovered' | 'destination.disabled';
      readonly destinationId: string;
      /** null: it belongs to the project. */
      readonly formId: string | null;
      readonly projectId: string;
    };

export interface EventFilter {
  readonly reach: Reach;
  /** null: all forms. */
  readonly formId: string | null;
  readonly projectId: string | null;
  /** Includes events of the audit log. */
  readonly withAudit: boolean;
}

export interface EventFeed {
  /** Returns the function that stops listening. */
  listen(filter: EventFilter, deliver: (event: LiveEvent) => void): () => void;
}

/** Changes are looked up in batches: hundreds of webhooks a second cost a few reads. */
const gatherMs = 250;
/** Per batch. Further changes are dropped: a page that shows that many has changed anyway. */
const mostGathered = 500;

export function createEventFeed(deps: {
  store: Store;
  signals: Signals;
  timers: Timers;
  onFault: (error: unknown) => void;
}): EventFeed {
  const { store, signals, timers } = deps;
  const listeners = new Set<{ readonly filter: EventFilter; readonly deliver: (event: LiveEvent) => void }>();
  const changed = new Set<string>();
  let endSubscriptions = (): void => {};

  const tell = (accountId: string, event: LiveEvent): void => {
    for (const { filter, deliver } of listeners) {
      if (filter.reach.accountId !== accountId) continue;
      if (event.projectId !== null && !isInReach(filter.reach, event.projectId)) continue;
      if (filter.formId !== null && filter.formId !== event.formId) continue;
      if (filter.projectId !== null && filter.projectId !== event.projectId) continue;
      if (event.kind === 'audit.recorded' && !filter.withAudit) continue;
      deliver(event);
    }
  };

  const look = async (): Promise<void> => {
    const ids = [...changed];
    changed.clear();
    if (listeners.size === 0) return;
    for (const { accountId, state, ...event } of await store.deliveries.webhookStates(ids)) {
      tell(accountId, { kind: 'delivery.changed', ...event, webhookState: state });
    }
  };

  /** Subscribes only while there are listeners, so that nothing is published needlessly. */
  const begin = (): void => {
    const endings = [
      signals.subscribe('submission-received', ({ accountId, submissionId, formId, projectId, createdAt }) =>
        tell(accountId, { kind: 'submission.created', submissionId, formId, projectId, createdAt }),
      ),
      signals.subscribe('submissions-changed', ({ accountId, submissionIds, formId, projectId }) =>
        tell(accountId, { kind: 'submission.changed', submissionIds, formId, projectId }),
      ),
      signals.subscribe('destination-changed', ({ accountId, destinationId, formId, projectId, change }) =>
        tell(accountId, { kind: `destination.${change}`, destinationId, formId, projectId }),
      ),
      signals.subscribe('audit-recorded', ({ accountId, seq, action }) =>
        tell(accountId, { kind: 'audit.recorded', seq, action, formId: null, projectId: null }),
      ),
      signals.subscribe('delivery-changed', ({ submissionId }) => {
        if (changed.size >= mostGathered) return;
        if (changed.size === 0) timers.after(gatherMs, () => void look().catch(deps.onFault));
        changed.add(submissionId);
      }),
    ];
    endSubscriptions = () => {
      for (const end of endings) end();
    };
  };

  return {
    listen(filter, deliver) {
      if (listeners.size === 0) begin();
      const listener = { filter, deliver };
      listeners.add(listener);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) endSubscriptions();
      };
    },
  };
}
