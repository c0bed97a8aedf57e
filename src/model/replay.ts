/** Sends again what failed (or was delivered) in a period: paced, with progress, until it is done or cancelled. */
import type { WebhookState } from './delivery.js';

export type ReplayState = 'running' | 'finished' | 'cancelled';

export interface ReplayScope {
  /** Exactly one of the two is set. */
  readonly formId: string | null;
  readonly projectId: string | null;
  readonly since: number | null;
  readonly until: number;
  readonly deliveryState: WebhookState;
  /** If not null, submissions of the scope that this destination never got are sent there. */
  readonly destinationId: string | null;
  /** The text of a JSON value, in addition to the filter of the destination. null: none. */
  readonly filter: string | null;
}

export interface Replay extends ReplayScope {
  readonly id: string;
  readonly accountId: string;
  readonly perMinute: number;
  readonly state: ReplayState;
  readonly total: number;
  readonly sent: number;
  /** The last submission that was processed. */
  readonly afterId: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}
