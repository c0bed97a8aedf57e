/** Deliveries as people see them and ask for them again. How they are sent: delivery-queue.ts. */

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
  /** null: it was not tried, nobody answered, or the log of its attempts is gone. */
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: number | null;
  /** It waits until its submission leaves this folder; null: it does not. */
  readonly pausedIn: SetAsideFolder | null;
}

export interface DeliveryPage {
  readonly items: readonly ListedDelivery[];
  /** What to hand over as `after`; null on the last page. A page may be short, even empty, and not be the last. */
  readonly next: DeliveryPlace | null;
}

/** Below this one; `deliveryId` null: below all of its submission. */
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
   * By submission, newest first. What it costs is bounded: a page looks at so many submissions and then ends, however few
   * of their deliveries pass the filter.
   */
  list(
    scope: OwnerScope,
    filter: DeliveryFilter,
    page: { readonly limit: number; readonly after: DeliveryPlace | null },
  ): Promise<DeliveryPage>;
  /** The data of these submissions, as JSON text; without those whose data is longer. */
  dataOf(submissionIds: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, string>>;
  /** How the webhooks of these submissions stand, and whose they are; without those that have none or are deleted. */
  webhookStates(submissionIds: readonly string[]): Promise<readonly SubmissionWebhookState[]>;
  /**
   * How the deliveries of submissions stand that were received between two neighbouring times: an item for each such pair.
   * What it costs grows with the submissions of that time.
   */
  counts(scope: TallyScope, times: readonly number[]): Promise<readonly DeliveryCounts[]>;
  /** How many wait to be sent, of all accounts, without those that are paused; at most so many are counted. */
  countPending(most: number): Promise<number>;
  listBySubmission(submissionId: string): Promise<readonly DeliveryWithAttempts[]>;
  /** The destinations whose filters the submission did not pass. */
  listSkipped(submissionId: string): Promise<readonly string[]>;
  /** Only those of the account. */
  find(reach: Reach, id: string): Promise<DeliveryWithAttempts | null>;
  /** Without bodies: how the webhooks of a submission stand. */
  states(submissionId: string): Promise<readonly { state: DeliveryState; attempt: number }[]>;
  /** The submission, and the form and the project that it is of by now; null when it is deleted. */
  subject(submissionId: string): Promise<DeliverySubject | null>;
  create(deliveries: readonly Delivery[]): Promise<void>;
  /** Those of the account that sending again makes sense for: of mails, only those that have not arrived. A suppressed one must be named. */
  listResendable(reach: Reach, choice: ResendChoice): Promise<readonly ReplayItem[]>;
  /**
   * Makes the delivery due now or at the given time, for the given trigger; one that was waiting waits on after that attempt.
   * False: it is being sent at this moment, its submission is in spam or trash, or it is gone.
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

/** How the deliveries of some submissions stand now, each counted once; `pending` without those that are paused. */
export type DeliveryCounts = Readonly<Record<WebhookState | 'paused', number>>;
