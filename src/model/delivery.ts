/** A delivery is one submission on its way to one receiver. The row is also the queue entry. */

export type DeliveryState = 'pending' | 'delivered' | 'failed';
export type WebhookState = DeliveryState;

export type DeliveryTarget = 'form' | 'project';

export interface Delivery {
  readonly id: string;
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
  readonly target: DeliveryTarget;
  readonly url: string;
  /** Frozen when the submission committed: every attempt sends these bytes. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
}

export interface Attempt {
  readonly number: number;
  readonly at: number;
  readonly trigger: 'auto' | 'manual';
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly response: string | null;
}

export interface DeliveryWithAttempts extends Delivery {
  readonly attempts: readonly Attempt[];
}
