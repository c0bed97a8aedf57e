/** Deliveries for their owner: list them, send them again, test an address. */
import type { KindName } from '../../contract/destination.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import type { Attempt, AttemptRequest, Delivery, DeliveryWithAttempts } from '../../model/delivery.js';
import { builtInNames, builtInWebhook, ownerOfBuiltIn } from '../../model/destination.js';
import { refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import { isSetAside } from '../../model/inbox.js';
import type { Project } from '../../model/project.js';
import type {
  DeliveryFilter,
  DeliveryPage,
  DeliveryPlace,
  ListedDelivery,
  ResendChoice,
} from '../../ports/deliveries.js';
import type { SendResult } from '../../ports/destination-kind.js';
import type { Signals } from '../../ports/signals.js';
import type { OwnerScope } from '../../ports/store.js';
import type { AuditTrail } from '../audit/trail.js';
import type { LongReads } from '../submissions/long-reads.js';
import type { SubmissionService } from '../submissions/service.js';
import { type AddressPolicy, refuseBadWebhookUrl } from '../webhooks/address-policy.js';
import { type ResendDeps, Resends } from './resends.js';
import type { TestSender } from './send-test.js';

export interface DeliveryPageOptions {
  readonly limit: number;
  readonly after: DeliveryPlace | null;
  /** With what was submitted, so that a reader knows what the deliveries are about. */
  readonly withData: boolean;
}

/** With what its destination is called. */
export type Named<Noun> = Noun & { readonly name: string };

/** As a list shows it. */
export interface ShownDelivery extends Named<ListedDelivery> {
  /** As JSON text; null: it is too long for a list. Only where it was asked for. */
  readonly submissionData?: string | null;
}

export interface NamedPage extends Pick<DeliveryPage, 'next'> {
  readonly items: readonly ShownDelivery[];
}

export interface SubmissionDeliveries {
  readonly deliveries: readonly Named<DeliveryWithAttempts>[];
  /** Destinations whose filters it did not pass. */
  readonly skipped: readonly { readonly id: string; readonly kind: KindName; readonly name: string }[];
}

/** An attempt with what it sent. */
export interface SentAttempt {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly request: AttemptRequest | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
}

export interface DeliveryService {
  get(who: Principal, id: string): Promise<Named<DeliveryWithAttempts>>;
  getAttempt(who: Principal, id: string, number: string): Promise<SentAttempt>;
  listBySubmission(who: Principal, submissionId: string): Promise<SubmissionDeliveries>;
  listByForm(
    who: Principal,
    formId: string,
    filter: DeliveryFilter,
    page: DeliveryPageOptions,
  ): Promise<NamedPage>;
  listByProject(
    who: Principal,
    projectId: string,
    filter: DeliveryFilter,
    page: DeliveryPageOptions,
  ): Promise<NamedPage>;
  /**
   * Sends the submission's webhooks again, at once: those that did not arrive, or all if all did. If it had none, sends to the
   * addresses that are set now.
   */
  retry(who: Principal, submissionId: string): Promise<SubmissionDeliveries>;
  /** Sends many again, at the pace of a replay; tells how many. Those that are being sent are left out. */
  retrySome(who: Principal, choice: ResendChoice): Promise<number>;
  /** Sends a made-up event to the given address, or to the one that is set, the way a real one goes. */
  testForm(who: Principal, formId: string, url: string | null): Promise<WebhookTest>;
  testProject(who: Principal, projectId: string, url: string | null): Promise<WebhookTest>;
}

export interface WebhookTest {
  readonly url: string;
  readonly result: SendResult;
}

export interface DeliveryServiceDeps extends ResendDeps {
  readonly submissions: SubmissionService;
  readonly signals: Signals;
  readonly addressPolicy: AddressPolicy;
  readonly longReads: LongReads;
  readonly trail: AuditTrail;
  readonly tests: TestSender;
}

/** A page has up to 100 of them. */
const maxListedDataBytes = 16 * 1024;

/** Without what cannot be an id, and each once. */
const known = (choice: ResendChoice): ResendChoice => {
  const ids = (given: readonly string[]) => [...new Set(given.filter(isUuid))];
  return 'deliveryIds' in choice
    ? { deliveryIds: ids(choice.deliveryIds) }
    : { submissionIds: ids(choice.submissionIds) };
};

/** A built-in destination need not have one; any other was removed. */
function nameWithoutRow(id: string): string {
  const owner = ownerOfBuiltIn(id);
  return owner ? builtInNames[owner.name] : 'Removed destination';
}

export function createDeliveryService(deps: DeliveryServiceDeps): DeliveryService {
  const { store, submissions, forms, projects, tests } = deps;
  const resends = new Resends(deps);

  const list = async (
    who: Principal,
    scope: OwnerScope,
    filter: DeliveryFilter,
    page: DeliveryPageOptions,
  ): Promise<NamedPage> => {
    const read = async (): Promise<NamedPage> => {
      const { items, next } = await store.deliveries.list(scope, filter, page);
      const shown = await named(items);
      return { items: page.withData ? await withData(shown) : shown, next };
    };
    // These are found through an index; all others by walking past submissions that have none.
    const isIndexed = filter.state === 'pending' || filter.state === 'failed';
    const found = await (isIndexed ? read() : deps.longReads(who.accountId, read));
    const object =
      scope.kind === 'form' ? { kind: 'form', id: scope.formId } : { kind: 'project', id: scope.projectId };
    await deps.trail.viewed(who, 'deliveries.listed', object);
    return found;
  };

  const withData = async (items: readonly Named<ListedDelivery>[]): Promise<readonly ShownDelivery[]> => {
    const ids = items.map(({ submissionId }) => submissionId);
    const data = await store.deliveries.dataOf(ids, maxListedDataBytes);
    return items.map((item) => ({ ...item, submissionData: data.get(item.submissionId) ?? null }));
  };

  const named = async <Noun extends Pick<Delivery, 'destinationId' | 'kind'>>(
    nouns: readonly Noun[],
  ): Promise<readonly Named<Noun>[]> => {
    const names = await store.destinations.names(nouns.map(({ destinationId }) => destinationId));
    return nouns.map((noun) => ({
      ...noun,
      name: names.get(noun.destinationId)?.name ?? nameWithoutRow(noun.destinationId),
    }));
  };

  const ofSubmission = async (submissionId: string): Promise<SubmissionDeliveries> => {
    const skipped = await store.deliveries.listSkipped(submissionId);
    const known = await store.destinations.names(skipped);
    return {
      deliveries: await named(await store.deliveries.listBySubmission(submissionId)),
      // One that was removed since is nobody's concern any more; a built-in one has a row, with its filter.
      skipped: skipped.flatMap((id) => {
        const found = known.get(id);
        return found ? [{ id, ...found }] : [];
      }),
    };
  };

  const test = async (url: string | null, form: Form | null, project: Project): Promise<WebhookTest> => {
    const destination = builtInWebhook({ ...(form ?? project), webhookUrl: url }, null);
    if (url === null || destination === null) throw refuse.noWebhookUrl();
    refuseBadWebhookUrl(deps.addressPolicy, url, 'url');
    return { url, result: await tests.send(destination, form, project) };
  };

  return {
    async get(who, id) {
      const delivery = isUuid(id) ? await store.deliveries.find(who, id) : null;
      const [found] = delivery ? await named([delivery]) : [];
      if (!found) throw refuse.deliveryNotFound();
      await deps.trail.viewed(who, 'delivery.viewed', { kind: 'delivery', id: found.id });
      return found;
    },
    async getAttempt(who, id, number) {
      const delivery = isUuid(id) ? await store.deliveries.find(who, id) : null;
      if (!delivery) throw refuse.deliveryNotFound();
      const attempt = delivery.attempts.find((each) => String(each.number) === number);
      if (!attempt) throw refuse.attemptNotFound();
      await deps.trail.viewed(who, 'delivery.viewed', { kind: 'delivery', id: delivery.id });
      const { request, responseHeaders } = attempt;
      return {
        delivery,
        attempt,
        // Written by `createAttempts`, and by nobody else.
        request: request === null ? null : (JSON.parse(request) as AttemptRequest),
        responseHeaders:
          responseHeaders === null ? null : (JSON.parse(responseHeaders) as Record<string, string>),
      };
    },
    async listBySubmission(who, submissionId) {
      const submission = await submissions.get(who, submissionId);
      await deps.trail.viewed(who, 'submission.viewed', { kind: 'submission', id: submission.id });
      return ofSubmission(submission.id);
    },
    async listByForm(who, formId, filter, page) {
      const { form } = await forms.get(who, formId);
      return list(who, { kind: 'form', formId: form.id }, filter, page);
    },
    async listByProject(who, projectId, filter, page) {
      const project = await projects.get(who, projectId);
      return list(who, { kind: 'project', projectId: project.id }, filter, page);
    },
    async retry(who, submissionId) {
      const submission = await submissions.get(who, submissionId);
      const [state] = await store.inbox.states(who, null, [submission.id]);
      if (state && isSetAside(state.folder)) throw refuse.submissionSetAside();
      const known = await store.deliveries.listBySubmission(submission.id);
      const isOpen = known.some((delivery) => delivery.state === 'pending' || delivery.state === 'failed');
      // Only the mail that asks for the confirmation: its destinations get it when it is confirmed.
      if (state?.folder === 'unconfirmed' && !isOpen) throw refuse.submissionUnconfirmed();
      await resends.send(who, submission, known);
      deps.signals.publish({ kind: 'deliveries-ready', lanes: [] });
      return ofSubmission(submission.id);
    },
    async retrySome(who, choice) {
      const queued = await resends.sendSome(who, await store.deliveries.listResendable(who, known(choice)));
      if (queued > 0) deps.signals.publish({ kind: 'deliveries-ready', lanes: [] });
      return queued;
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
