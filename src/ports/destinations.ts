/**
 * Destinations as they are stored. A built-in one has a row only once something is known of it beyond the setting that it
 * stands for; its row has an empty config, see `builtInWebhook` and `builtInEmail`.
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

/** What the attempts of a moment have shown of a destination. */
export interface HealthChange
  extends Pick<Delivery, 'destinationId' | 'kind' | 'target' | 'formId' | 'projectId'> {
  /** When the last of them succeeded; null: none did. */
  readonly succeededAt: number | null;
  /** Those that failed, after that. */
  readonly failures: number;
  readonly firstFailedAt: number | null;
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
  /** Its form, or one of its project: a delivery belongs to one. */
  readonly formId: string;
}

/** Whose destinations: of a form alone, or of a project alone. */
export type DestinationOwner =
  | { readonly kind: 'form'; readonly formId: string }
  | { readonly kind: 'project'; readonly projectId: string };

/** All but `listForIntake`, `load` and `waiting` find only what is the account's. */
export interface DestinationStore {
  find(reach: Reach, id: string): Promise<StoredDestination | null>;
  /** Oldest first; those of built-in ones too. */
  list(reach: Reach, owner: DestinationOwner): Promise<readonly StoredDestination[]>;
  /** Without built-in ones. */
  count(reach: Reach, owner: DestinationOwner): Promise<number>;
  /** `StoreConflict('reference')`: the account has no such project, or the project no such form. */
  create(reach: Reach, destination: Destination): Promise<void>;
  /**
   * Its settings; owner, kind and time of creation stay. One that is switched on again starts with no failures. False: there
   * is none.
   */
  update(reach: Reach, destination: Destination): Promise<boolean>;
  /** Creates or updates the row of a built-in one. */
  putBuiltIn(reach: Reach, destination: Destination): Promise<void>;
  /** False: there is none, or it is built in. */
  delete(reach: Reach, id: string): Promise<boolean>;
  /** How many deliveries wait for each of these, without those for which none does; at most so many are counted for each. */
  waiting(ids: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** Every row that concerns submissions of this form: active or not, the form's own and the project's. */
  listForIntake(formId: string, projectId: string): Promise<readonly StoredDestination[]>;
  /** What these are called, and of which kind they are; without those that have no row. Of any account. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, Pick<Destination, 'kind' | 'name'>>>;
  /** The active webhooks of an account that want to hear of erasures. Without those of projects that have no form left. */
  listErasureSubscribers(accountId: string): Promise<readonly ErasureSubscriber[]>;
  /** Of any account: for who sends to it. */
  load(id: string): Promise<StoredDestination | null>;
  /** What attempts have shown since the last time. A built-in one gets its row, one that is gone none. */
  recordHealth(changes: readonly HealthChange[]): Promise<void>;
  /** Those that fail, or whose owner was last notified so, by id; without those that are disabled if the owner was notified of that. */
  listTroubled(afterId: string, limit: number): Promise<readonly TroubledDestination[]>;
  /** Those of an account that fail or were disabled because they did; without webhook URLs that were taken back. */
  listNeedingAttention(reach: Reach): Promise<readonly TroubledDestination[]>;
  /** Because it fails, or is gone; false: it is not active. */
  disable(id: string, at: number): Promise<boolean>;
  /** One that was disabled because it failed; false: it was not. */
  enable(id: string): Promise<boolean>;
  /** False: another process has notified them meanwhile. */
  markNotified(id: string, before: DestinationState, state: DestinationState): Promise<boolean>;
}
