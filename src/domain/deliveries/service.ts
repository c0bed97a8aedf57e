/** Deliveries for their owner: listing, resending, testing an address. */
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
  /** Includes the submitted data, so that a reader sees what each delivery is about. */
  readonly withData: boolean;
}

/** With the name of its destination. */
export type Named<Noun> = Noun & { readonly name: string };

/** A delivery in a list. */
export interface ShownDelivery extends Named<ListedDelivery> {
  /** As JSON text; null when it is too long for a list. Set only with `withData`. */
  readonly submissionData?: string | null;
}

export interface NamedPage extends Pick<DeliveryPage, 'next'> {
  readonly items: readonly ShownDelivery[];
}

export interface SubmissionDeliveries {
  readonly deliveries: readonly Named<DeliveryWithAttempts>[];
  /** Destinations whose filter it did not pass, or that would have exceeded the limits per submission. */
  readonly skipped: readonly { readonly id: string; readonly kind: KindName; readonly name: string }[];
}

/** An attempt with the request it sent. */
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
   * Resends the submission's deliveries immediately: those that did not arrive, or all except mails if all arrived. Without any,
   * sends to the current destinations.
   */
  retry(who: Principal, submissionId: string): Promise<SubmissionDeliveries>;
  /** Resends many at the pace of a replay and returns how many. Skips those that are being sent. */
  retrySome(who: Principal, choice: ResendChoice): Promise<number>;
  /** Sends a sample event to the given URL, or to the configured one, the way a real event is sent. */
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

/** Per delivery; a page has up to 100. */
const maxListedDataBytes = 16 * 1024;

/** Drops duplicates and anything that cannot be an id. */
const known = (choice: ResendChoice): ResendChoice => {
  const ids = (given: readonly string[]) => [...new Set(given.filter(isUuid))];
  return 'deliveryIds' in choice
    ? { deliveryIds: ids(choice.deliveryIds) }
    : { submissionIds: ids(choice.submissionIds) };
};

/** A built-in destination may have no row. Any other without one was removed. */
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
    // Pending and failed ones are indexed. Any other state means scanning past submissions without a match.
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
      // Destinations removed since are left out. A built-in one with a filter has a row.
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
        // Written only by `createAttempts`.
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
      // Until it is confirmed, only the confirmation mail can be resent. The destinations receive it afterwards.
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
