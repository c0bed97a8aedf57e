/** Deliveries for their owner: looking at them, sending again, trying an address out. */
import type { Clock } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { type Delivery, type DeliveryWithAttempts, queues } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { Signals } from '../../ports/signals.js';
import type {
  DeliveryFilter,
  DeliveryPage,
  DeliveryPlace,
  Store,
  SubmissionScope,
} from '../../ports/store.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import type { LongReads } from '../submissions/long-reads.js';
import type { SubmissionService } from '../submissions/service.js';
import { type AddressPolicy, refuseBadWebhookUrl } from './address-policy.js';
import { errorOf, isSuccess, type Sender, shownText } from './attempt.js';
import { eventBody, planDeliveries } from './plan.js';
import { targetUrl } from './settings.js';

export interface TestResult {
  readonly url: string;
  readonly isDelivered: boolean;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly response: string | null;
}

export interface DeliveryPageWish {
  readonly limit: number;
  readonly after: DeliveryPlace | null;
}

export interface DeliveryService {
  get(who: Principal, id: string): Promise<DeliveryWithAttempts>;
  listBySubmission(who: Principal, submissionId: string): Promise<readonly DeliveryWithAttempts[]>;
  listByForm(
    who: Principal,
    formId: string,
    filter: DeliveryFilter,
    page: DeliveryPageWish,
  ): Promise<DeliveryPage>;
  listByProject(
    who: Principal,
    projectId: string,
    filter: DeliveryFilter,
    page: DeliveryPageWish,
  ): Promise<DeliveryPage>;
  /**
   * Sends the submission's webhooks again, at once: those that did not arrive, or all if all did. If it had none, to the
   * addresses that are set now.
   */
  retry(who: Principal, submissionId: string): Promise<readonly DeliveryWithAttempts[]>;
  /** Sends a made-up event to the given address, or to the one that is set, the way a real one goes. */
  testForm(who: Principal, formId: string, url: string | null): Promise<TestResult>;
  testProject(who: Principal, projectId: string, url: string | null): Promise<TestResult>;
}

/** They share the connections to a receiver with what is really delivered. */
const maxTests = 32;
const maxTestsPerAccount = 4;

export function createDeliveryService(deps: {
  store: Store;
  submissions: SubmissionService;
  forms: FormService;
  projects: ProjectService;
  sender: Sender;
  signals: Signals;
  clock: Clock;
  addressPolicy: AddressPolicy;
  longReads: LongReads;
}): DeliveryService {
  const { store, submissions, forms, projects, signals, clock } = deps;
  const tests = new Slots(maxTests, maxTestsPerAccount);

  const resend = async (chosen: readonly Delivery[], submission: SubmissionWithFiles): Promise<void> => {
    const settings = await store.deliveries.settings(submission.formId);
    if (!settings) throw refuse.submissionNotFound();
    const now = clock.now();
    await store.tx(async (tx) => {
      let sent = 0;
      for (const delivery of chosen) {
        const url = targetUrl(settings, delivery);
        if (url === null) continue;
        const isTaken = await tx.deliveries.resend(
          { id: delivery.id, url, trigger: 'manual', queue: queues.manual },
          submission.id,
          now,
        );
        if (!isTaken) throw refuse.deliveryInFlight();
        sent += 1;
      }
      if (sent === 0) throw refuse.noWebhookUrl();
    });
  };

  /** For a submission that came before there was an address. */
  const sendFirst = async (who: Principal, submission: SubmissionWithFiles): Promise<void> => {
    const { form } = await forms.get(who, submission.formId);
    const project = await projects.get(who, submission.projectId);
    const now = clock.now();
    const planned = planDeliveries({ form, project, submission, files: submission.files });
    if (planned.length === 0) throw refuse.noWebhookUrl();
    await store.tx(async (tx) => {
      // Asked for twice at once: the second finds what the first planned.
      if ((await tx.deliveries.listBySubmission(submission.id)).length > 0) throw refuse.deliveryInFlight();
      await tx.deliveries.create(
        planned.map((delivery) => ({
          ...delivery,
          id: newId(now),
          trigger: 'manual',
          queue: queues.manual,
          nextAttemptAt: now,
          createdAt: now,
        })),
      );
    });
  };

  const test = async (url: string | null, form: Form | null, project: Project): Promise<TestResult> => {
    if (url === null) throw refuse.noWebhookUrl();
    refuseBadWebhookUrl(deps.addressPolicy, url, 'url');
    const submission = sampleSubmission(project, form, clock.now());
    const body = eventBody('webhook.test', { form: form ?? sampleForm(project), submission, files: [] });
    const message = { messageId: newId(clock.now()), submissionId: submission.id, attempt: 1, body };
    const free = tests.take(project.accountId);
    if (!free) throw refuse.busy();
    const result = await deps.sender
      .send(url, message, {
        secret: project.webhookSecret,
        previousSecret: project.previousSecret,
        previousSecretUntil: project.previousSecretUntil,
      })
      .finally(free);
    return {
      url,
      isDelivered: isSuccess(result),
      status: result.status,
      durationMs: Math.round(result.timings.totalMs),
      error: errorOf(result),
      response: shownText(result.response),
    };
  };

  const listBySubmission = async (who: Principal, submissionId: string) => {
    const submission = await submissions.get(who, submissionId);
    return store.deliveries.listBySubmission(submission.id);
  };

  const list = async (
    { accountId }: Principal,
    scope: SubmissionScope,
    filter: DeliveryFilter,
    page: DeliveryPageWish,
  ): Promise<DeliveryPage> => {
    const read = (): Promise<DeliveryPage> => store.deliveries.list(scope, filter, page);
    // These are found through an index; all others by walking past submissions that have none.
    if (filter.state === 'pending' || filter.state === 'failed') return read();
    return deps.longReads(accountId, read);
  };

  return {
    listBySubmission,

    async listByForm(who, formId, filter, page) {
      const { form } = await forms.get(who, formId);
      return list(who, { kind: 'form', formId: form.id }, filter, page);
    },

    async listByProject(who, projectId, filter, page) {
      const project = await projects.get(who, projectId);
      return list(who, { kind: 'project', projectId: project.id }, filter, page);
    },

    async get(who, id) {
      const delivery = isUuid(id) ? await store.deliveries.find(who.accountId, id) : null;
      if (!delivery) throw refuse.deliveryNotFound();
      return delivery;
    },

    async retry(who, submissionId) {
      const submission = await submissions.get(who, submissionId);
      const deliveries = await store.deliveries.listBySubmission(submission.id);
      const open = deliveries.filter((delivery) => delivery.state !== 'delivered');
      if (deliveries.length === 0) await sendFirst(who, submission);
      else await resend(open.length > 0 ? open : deliveries, submission);
      signals.publish({ kind: 'deliveries-ready', urls: [] });
      return store.deliveries.listBySubmission(submission.id);
    },

    async testForm(who, formId, url) {
      const { form } = await forms.get(who, formId);
      const project = await projects.get(who, form.projectId);
      return test(url ?? form.webhookUrl ?? project.webhookUrl, form, project);
    },

    async testProject(who, projectId, url) {
      const project = await projects.get(who, projectId);
      return test(url ?? project.webhookUrl, null, project);
    },
  };
}

type NamedForm = Pick<Form, 'id' | 'publicId' | 'slug' | 'name'>;

const sampleForm = (project: Project): NamedForm => ({
  id: project.id,
  publicId: 'test',
  slug: 'test',
  name: 'Test',
});

const sampleSubmission = (project: Project, form: Form | null, now: number) => ({
  id: newId(now),
  formId: form?.id ?? project.id,
  projectId: project.id,
  data: JSON.stringify({ name: 'Ada Lovelace', email: 'ada@example.com', message: 'This is a test.' }),
  metadata: { ip: '192.0.2.1', userAgent: 'Inlet', submittedFrom: 'https://example.com/contact' },
  createdAt: now,
});
