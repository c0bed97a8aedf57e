/** Manual resends. */
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import type { AuditObject } from '../../model/audit.js';
import { asReplay, byHand, type Delivery, digestQueue } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { AuditRecorder } from '../../ports/audit.js';
import type { ReplayItem } from '../../ports/replays.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { FormService } from '../forms/service.js';
import { type Planning, planDeliveries, routesOf, sentNow } from '../planning/plan.js';
import type { ProjectService } from '../projects/service.js';
import { type Addressed, addressOf, type CurrentDestinations } from '../sending/current.js';

export interface ResendDeps {
  readonly store: Store;
  readonly forms: FormService;
  readonly projects: ProjectService;
  readonly current: CurrentDestinations;
  readonly planning: Planning;
  readonly clock: Clock;
}

/** The default pace of a replay: 600 a minute. */
const apartMs = 100;
/** Per transaction: commits wait behind it. */
const perWrite = 100;

const recordRetried = (tx: AuditRecorder, who: Principal, object: AuditObject, deliveries: number): void =>
  record(tx, who, { action: 'deliveries.retried', object, after: { deliveries } });

export class Resends {
  constructor(private readonly deps: ResendDeps) {}

  /**
   * Resends the deliveries that did not arrive, or all of them if all arrived. Without any, sends to the current destinations.
   * Mails that arrived are left out, because people would read them twice. So are suppressed ones, which are resent one by one.
   */
  async send(who: Principal, submission: SubmissionWithFiles, known: readonly Delivery[]): Promise<void> {
    // A digest covers other submissions too, and is sent on its own schedule.
    const own = known.filter(
      ({ submissionId, queue }) => submissionId === submission.id && queue !== digestQueue,
    );
    const open = own.filter(({ state }) => state === 'pending' || state === 'failed');
    const sent = own.filter((delivery) => delivery.kind !== 'email');
    if (open.length === 0 && sent.length === 0) await this.#sendFirst(who, submission);
    else await this.#resend(who, open.length > 0 ? open : sent, submission);
  }

  /** Resends those whose destination still exists, spaced out so as not to overload a recovering endpoint. Returns how many. */
  async sendSome(who: Principal, items: readonly ReplayItem[]): Promise<number> {
    const { store, clock } = this.deps;
    let queued = 0;
    for (let from = 0; from < items.length; from += perWrite) {
      const sendable = await this.#sendable(items.slice(from, from + perWrite));
      const now = clock.now();
      queued += await store.tx(async (tx) => {
        let done = 0;
        for (const { id, url, submissionId } of sendable) {
          const dueAt = now + (queued + done) * apartMs;
          if (await tx.deliveries.resend({ id, url, ...asReplay }, submissionId, now, dueAt)) done += 1;
        }
        if (done > 0) recordRetried(tx, who, { kind: 'deliveries', id: null }, done);
        return done;
      });
    }
    return queued;
  }

  async #resend(who: Principal, chosen: readonly Delivery[], submission: SubmissionWithFiles): Promise<void> {
    const { store, clock } = this.deps;
    const sendable = await this.#sendable(chosen);
    if (sendable.length === 0) throw refuse.noWebhookUrl();
    const now = clock.now();
    await store.tx(async (tx) => {
      for (const { id, url } of sendable) {
        if (!(await tx.deliveries.resend({ id, url, ...byHand }, submission.id, now)))
          throw refuse.deliveryInFlight();
      }
      recordRetried(tx, who, { kind: 'submission', id: submission.id }, sendable.length);
    });
  }

  /** Returns those whose destination still exists, with its current address. */
  async #sendable<Item extends Addressed>(items: readonly Item[]): Promise<readonly Item[]> {
    const sendable: Item[] = [];
    for (const item of items) {
      const { destination } = await this.deps.current.get(item);
      if (destination) sendable.push({ ...item, url: addressOf(item, destination) });
    }
    return sendable;
  }

  /** For a submission received before there was a destination. */
  async #sendFirst(who: Principal, submission: SubmissionWithFiles): Promise<void> {
    const { store, forms, projects, planning, clock } = this.deps;
    const { form } = await forms.get(who, submission.formId);
    const project = await projects.get(who, form.projectId);
    const now = clock.now();
    const rows = await store.destinations.listForIntake(form.id, project.id);
    const routes = routesOf({ form, project }, rows);
    const source = { form, project, submission, files: submission.files };
    const planned = planDeliveries(source, routes, planning);
    const deliveries = planned.deliveries.filter(({ kind }) => kind !== 'email');
    if (deliveries.length === 0) throw refuse.noWebhookUrl();
    await store.tx(async (tx) => {
      // Of two concurrent requests, the second finds what the first planned.
      const known = await tx.deliveries.listBySubmission(submission.id);
      if (known.some(({ kind }) => kind !== 'email')) throw refuse.deliveryInFlight();
      await tx.deliveries.create(deliveries.map((delivery) => sentNow(delivery, byHand, now)));
      recordRetried(tx, who, { kind: 'submission', id: submission.id }, deliveries.length);
    });
  }
}
