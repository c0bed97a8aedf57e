/** Deliveries as users see and resend them. For how they are sent, see delivery-queue.ts. */

import type { Delivery, DeliveryState, DeliveryWithAttempts, WebhookState } from '../model/delivery.js';
import type { Form } from '../model/form.js';
import type { SetAsideFolder } from '../model/inbox.js';
import type { Project } from '../model/project.js';
import type { Reach } from '../model/reach.js';
import type { SubmissionWithFiles } from '../model/submission.js';
import type { ReplayItem } from './replays.js';
import type { OwnerScope, TallyScope } from './scopes.js';

export interface SubmissionWebhookState {
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
  readonly accountId: string;
  readonly state: WebhookState;
}

export interface DeliveryFilter {
  readonly state: DeliveryState | null;
  readonly url: string | null;
}

/** A delivery as a list shows it: without its body, with the end of its last attempt. */
export interface ListedDelivery
  extends Omit<Delivery, 'body' | 'lane' | 'extraAttempts' | 'resumeAt' | 'heldUntil'> {
  /** null when there was no attempt, no response, or the log of its attempts was deleted. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: number | null;
  /** The delivery waits until its submission leaves this folder; null when it is not paused. */
  readonly pausedIn: SetAsideFolder | null;
}

export interface DeliveryPage {
  readonly items: readonly ListedDelivery[];
  /** Pass it as `after` for the next page; null on the last one. A page may be short or even empty without being the last. */
  readonly next: DeliveryPlace | null;
}

/** Continue after this delivery; with `deliveryId` null, after all of its submission's. */
export interface DeliveryPlace {
  readonly submissionId: string;
  readonly deliveryId: string | null;
}

/** These deliveries, or those of these submissions that have not arrived. */
export type ResendChoice =
  | { readonly deliveryIds: readonly string[] }
  | { readonly submissionIds: readonly string[] };

/** What a delivery is about. */
export interface DeliverySubject {
  readonly submission: SubmissionWithFiles;
  readonly form: Pick<Form, 'id' | 'publicId' | 'slug' | 'name' | 'fields'>;
  readonly project: Pick<Project, 'id' | 'accountId' | 'slug' | 'name'>;
}

export interface DeliveryStore {
  /**
   * By submission, newest first. Its cost is bounded: a page reads a limited number of submissions and then ends, however
   * few of their deliveries match the filter.
   */
  list(
    scope: OwnerScope,
    filter: DeliveryFilter,
    page: { readonly limit: number; readonly after: DeliveryPlace | null },
  ): Promise<DeliveryPage>;
  /** The data of these submissions as JSON text; without those whose data is longer than `maxBytes`. */
  dataOf(submissionIds: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, string>>;
  /** The webhook state and owner of these submissions; without those that have no webhooks or are deleted. */
  webhookStates(submissionIds: readonly string[]): Promise<readonly SubmissionWebhookState[]>;
  /**
   * Counts the deliveries of submissions received between two neighbouring times: one item for each such pair. The cost
   * grows with the number of those submissions.
   */
  counts(scope: TallyScope, times: readonly number[]): Promise<readonly DeliveryCounts[]>;
  /** How many deliveries wait to be sent, across all accounts and without paused ones; counts up to `most`. */
  countPending(most: number): Promise<number>;
  listBySubmission(submissionId: string): Promise<readonly DeliveryWithAttempts[]>;
  /** The destinations whose filters the submission did not pass. */
  listSkipped(submissionId: string): Promise<readonly string[]>;
  /** Only finds deliveries of the account. */
  find(reach: Reach, id: string): Promise<DeliveryWithAttempts | null>;
  /** The states of a submission's deliveries, without their bodies. */
  states(submissionId: string): Promise<readonly { state: DeliveryState; attempt: number }[]>;
  /** The submission, and the form and project it belongs to now; null when it is deleted. */
  subject(submissionId: string): Promise<DeliverySubject | null>;
  create(deliveries: readonly Delivery[]): Promise<void>;
  /** The account's deliveries that are worth resending: of mails, only those that have not arrived. Suppressed ones must be named by id. */
  listResendable(reach: Reach, choice: ResendChoice): Promise<readonly ReplayItem[]>;
  /**
   * Makes the delivery due now or at `dueAt`, for the given trigger. One that was waiting resumes its schedule after that
   * attempt. Returns false when it is being sent right now, its submission is in spam or trash, or it no longer exists.
   */
  resend(
    delivery: Pick<Delivery, 'id' | 'url' | 'trigger' | 'queue'>,
    submissionId: string,
    now: number,
    dueAt?: number,
  ): Promise<boolean>;
  /** When the delivery that has waited longest was due; null when none waits. */
  oldestDueAt(): Promise<number | null>;
}

/** Deliveries by their current state. `pending` does not include paused ones; suppressed ones are not counted. */
export type DeliveryCounts = Readonly<Record<WebhookState | 'paused', number>>;
