/**
 * Destinations as they are stored. A built-in one has a row only once something is known about it beyond the setting that
 * it stands for; its row has an empty config, see `builtInWebhook` and `builtInEmail`.
 */

import type { Delivery } from '../model/delivery.js';
import type {
  Destination,
  DestinationHealth,
  DestinationOf,
  DestinationState,
} from '../model/destination.js';
import type { Reach } from '../model/reach.js';

export type StoredDestination = Destination & { readonly health: DestinationHealth };

/** What attempts have shown about a destination since the last change. */
export interface HealthChange
  extends Pick<Delivery, 'destinationId' | 'kind' | 'target' | 'formId' | 'projectId'> {
  /** When the last success was; null when none succeeded. */
  readonly succeededAt: number | null;
  /** Failures after the last success. */
  readonly failures: number;
  readonly firstFailedAt: number | null;
  readonly lastFailedAt: number | null;
  readonly lastError: string | null;
}

export type TroubledDestination = StoredDestination & {
  readonly accountId: string;
  readonly formName: string | null;
  readonly projectName: string;
  /** What its owners were last notified of. */
  readonly notifiedState: DestinationState;
};

export interface ErasureSubscriber {
  readonly destination: DestinationOf<'webhook'>;
  /** Its form, or one of its project's: every delivery belongs to a form. */
  readonly formId: string;
}

/** Whose destinations: only the form's own, or only the project's. */
export type DestinationOwner =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** Methods that take a `Reach` or an account find only what belongs to the account. */
export interface DestinationStore {
  find(reach: Reach, id: string): Promise<StoredDestination | null>;
  /** Oldest first, including the rows of built-in ones. */
  list(reach: Reach, owner: DestinationOwner): Promise<readonly StoredDestination[]>;
  /** Without built-in ones. */
  count(reach: Reach, owner: DestinationOwner): Promise<number>;
  /** `StoreConflict('reference')`: the account has no such project, or the project no such form. */
  create(reach: Reach, destination: Destination): Promise<void>;
  /**
   * Updates its settings; owner, kind and creation time stay. One that is enabled again starts with no failures. Returns
   * false when there is none.
   */
  update(reach: Reach, destination: Destination): Promise<boolean>;
  /** Creates or updates the row of a built-in one. */
  putBuiltIn(reach: Reach, destination: Destination): Promise<void>;
  /** Returns false when there is none or it is built in. */
  delete(reach: Reach, id: string): Promise<boolean>;
  /** How many deliveries wait for each of these, without those that have none waiting; counts up to `most` for each. */
  waiting(ids: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** Every row that concerns submissions of this form: active or not, the form's own and the project's. */
  listForIntake(formId: string, projectId: string): Promise<readonly StoredDestination[]>;
  /** The name and kind of each, in any account; without those that have no row. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, Pick<Destination, 'kind' | 'name'>>>;
  /** The account's active webhooks that subscribe to erasures, without those of projects that have no form left. */
  listErasureSubscribers(accountId: string): Promise<readonly ErasureSubscriber[]>;
  /** In any account: for sending. */
  load(id: string): Promise<StoredDestination | null>;
  /**
   * Records what attempts have shown since the last call. A built-in one gets its row, a deleted one does not. The last success
   * of one that works is stored to the minute.
   */
  recordHealth(changes: readonly HealthChange[]): Promise<void>;
  /**
   * By id: those that fail or whose owner was last notified of trouble, without disabled ones whose owner was notified of that,
   * and without webhook URLs that are no longer set.
   */
  listTroubled(afterId: string, limit: number): Promise<readonly TroubledDestination[]>;
  /** The account's destinations that fail or were disabled for failing; without webhook URLs that are no longer set. */
  listNeedingAttention(reach: Reach): Promise<readonly TroubledDestination[]>;
  /** Disables one that fails or reports that it is gone. Returns false when it is not active. */
  disable(id: string, at: number): Promise<boolean>;
  /** Forgets the failures of one that now sends elsewhere, and enables it if it was disabled for failing. */
  startAfresh(id: string): Promise<void>;
  /** Returns false when another process has notified the owners meanwhile. */
  markNotified(id: string, before: DestinationState, state: DestinationState): Promise<boolean>;
}
