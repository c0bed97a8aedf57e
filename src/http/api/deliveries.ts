/** /api/v1/…/deliveries: results, retries and replays of deliveries, and webhook tests. */
import type { FastifyInstance } from 'fastify';
import {
  AttemptFull,
  AttemptPath,
  DeliveriesQueued,
  DeliveryFull,
  type DeliveryItem,
  DeliveryItems,
  DeliveryList,
  type DeliveryListed,
  DeliveryQuery,
  RetryDeliveries,
  WebhookTestRequest,
  WebhookTestResult,
} from '../../contract/delivery.js';
import { ReplayCount, ReplayFull, ReplayList, ReplayRequest } from '../../contract/replay.js';
import { byId } from '../../contract/shapes.js';
import type { ReplayOptions, ReplayService } from '../../domain/deliveries/replay.js';
import type {
  DeliveryService,
  Named,
  NamedPage,
  SentAttempt,
  ShownDelivery,
  SubmissionDeliveries,
  WebhookTest,
} from '../../domain/deliveries/service.js';
import { shownRemoteAddress } from '../../domain/webhooks/address-policy.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import type { Attempt, Delivery, DeliveryWithAttempts } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import type { Replay } from '../../model/replay.js';
import type { DeliveryPlace, ResendChoice } from '../../ports/deliveries.js';
import type { Gate } from '../principal.js';
import { Reply, routesOf } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';
import { jsonText } from './submissions.js';

const toAttempt = (attempt: Attempt): DeliveryItem['attempts'][number] => ({
  number: attempt.number,
  at: isoTime(attempt.at),
  trigger: attempt.trigger,
  status: attempt.status,
  duration_ms: attempt.durationMs,
  error: attempt.error,
  response: attempt.response,
});

const toFields = (delivery: Named<DeliveryWithAttempts>): Omit<DeliveryItem, 'attempts'> => ({
  id: delivery.id,
  destination_id: delivery.destinationId,
  kind: delivery.kind,
  name: delivery.name,
  target: delivery.target,
  url: delivery.url,
  state: delivery.state,
  next_attempt_at: delivery.isInFlight ? null : isoTimeOrNull(delivery.nextAttemptAt),
});

const toItem = (delivery: Named<DeliveryWithAttempts>): DeliveryItem => ({
  ...toFields(delivery),
  attempts: delivery.attempts.map(toAttempt),
});

const toItems = ({ deliveries, skipped }: SubmissionDeliveries): DeliveryItems => ({
  data: deliveries.map(toItem),
  skipped: skipped.map(({ id, kind, name }) => ({ destination_id: id, kind, name })),
});

const toFull = (delivery: Named<DeliveryWithAttempts>): DeliveryFull => ({
  ...toFields(delivery),
  submission_id: delivery.submissionId,
  form_id: delivery.formId,
  project_id: delivery.projectId,
  in_flight: delivery.isInFlight,
  created_at: isoTime(delivery.createdAt),
  attempts: delivery.attempts.map((attempt) => toSeenAttempt(delivery, attempt)),
});

const toSeenAttempt = (delivery: Delivery, attempt: Attempt): DeliveryFull['attempts'][number] => ({
  ...toAttempt(attempt),
  remote_address: shownRemoteAddress(delivery.url, attempt.remoteAddress),
  timings: {
    dns_ms: attempt.dnsMs,
    connect_ms: attempt.connectMs,
    first_byte_ms: attempt.firstByteMs,
  },
});

const toFullAttempt = ({ delivery, attempt, request, responseHeaders }: SentAttempt): AttemptFull => ({
  ...toSeenAttempt(delivery, attempt),
  request: request && {
    method: request.method,
    url: request.url,
    headers: { ...request.headers },
    body: request.body ?? delivery.body,
    is_body_cut: request.isBodyCut,
  },
  response_headers: responseHeaders && { ...responseHeaders },
});

export const toReplay = (replay: Replay): ReplayFull => ({
  id: replay.id,
  form_id: replay.formId,
  project_id: replay.projectId,
  since: isoTimeOrNull(replay.since),
  until: isoTime(replay.until),
  destination_id: replay.destinationId,
  state: replay.deliveryState,
  status: replay.state,
  per_minute: replay.perMinute,
  count: replay.total,
  sent: replay.sent,
  created_at: isoTime(replay.createdAt),
  finished_at: isoTimeOrNull(replay.finishedAt),
});

const toTest = ({ url, result }: WebhookTest): WebhookTestResult => ({
  delivered: result.end === 'succeeded',
  url,
  status: result.status,
  duration_ms: result.durationMs,
  error: result.error,
  response: result.response,
});

const defaultPerMinute = 600;

function toOptions(body: ReplayRequest): ReplayOptions {
  if ((body.form_id === undefined) === (body.project_id === undefined)) {
    throw refuse.invalidBody([{ path: 'form_id', message: 'give either form_id or project_id' }]);
  }
  const time = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));
  return {
    formId: body.form_id ?? null,
    projectId: body.project_id ?? null,
    since: time(body.since),
    until: time(body.until),
    deliveryState: body.state ?? 'failed',
    perMinute: body.per_minute ?? defaultPerMinute,
  };
}

function toChoice({ ids, submission_ids }: RetryDeliveries): ResendChoice {
  if (ids !== undefined && submission_ids === undefined) return { deliveryIds: ids };
  if (ids === undefined && submission_ids !== undefined) return { submissionIds: submission_ids };
  throw refuse.invalidBody([{ path: 'ids', message: 'give either ids or submission_ids' }]);
}

const toListed = (delivery: ShownDelivery): DeliveryListed => ({
  id: delivery.id,
  destination_id: delivery.destinationId,
  kind: delivery.kind,
  name: delivery.name,
  submission_id: delivery.submissionId,
  form_id: delivery.formId,
  target: delivery.target,
  url: delivery.url,
  state: delivery.state,
  attempts: delivery.attempt,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  last_attempt_at: isoTimeOrNull(delivery.lastAttemptAt),
  paused_in: delivery.pausedIn,
  next_attempt_at: delivery.isInFlight ? null : isoTimeOrNull(delivery.nextAttemptAt),
  created_at: isoTime(delivery.createdAt),
});

/** Builds the JSON text by hand, so that the data is sent exactly as stored. */
function listedText(delivery: ShownDelivery): string {
  const text = JSON.stringify(toListed(delivery));
  const { submissionData } = delivery;
  return submissionData === undefined ? text : `${text.slice(0, -1)},"submission_data":${submissionData}}`;
}

const pageText = ({ items, next }: NamedPage): string =>
  `{"data":[${items.map(listedText).join(',')}],"next_cursor":${JSON.stringify(toCursor(next))}}`;

function toPlace(cursor: string | undefined): DeliveryPlace | null {
  const place = decodeCursor(cursor, 'deliveries');
  if (place === null) return null;
  const [submissionId = '', deliveryId = null] = place.split(' ');
  return { submissionId, deliveryId };
}

const toCursor = (next: DeliveryPlace | null): string | null =>
  next &&
  encodeCursor(next.deliveryId === null ? next.submissionId : `${next.submissionId} ${next.deliveryId}`);

export function deliveryRoutes(
  app: FastifyInstance,
  deps: { gate: Gate; deliveries: DeliveryService; replays: ReplayService },
): void {
  const { gate, deliveries, replays } = deps;
  const add = routesOf(app, 'Deliveries');

  add({
    method: 'GET',
    path: '/submissions/:id/deliveries',
    operationId: 'listSubmissionDeliveries',
    summary: 'List the deliveries of a submission',
    params: byId('The submission.'),
    responses: { 200: DeliveryItems },
    ...gate.may('deliveries.read'),
    handle: async ({ who, params }) => toItems(await deliveries.listBySubmission(who, params.id)),
  });

  add({
    method: 'POST',
    path: '/submissions/:id/retry-webhook',
    operationId: 'retrySubmissionWebhooks',
    summary: 'Send the webhooks of a submission again, at once',
    params: byId('The submission.'),
    responses: { 202: DeliveryItems },
    errors: [409],
    ...gate.may('deliveries.manage'),
    handle: async ({ who, params }) => toItems(await deliveries.retry(who, params.id)),
  });

  add({
    method: 'GET',
    path: '/deliveries/:id',
    operationId: 'getDelivery',
    summary: 'Get a delivery with the timings of its attempts',
    params: byId('The delivery.'),
    responses: { 200: DeliveryFull },
    ...gate.may('deliveries.read'),
    handle: async ({ who, params }) => toFull(await deliveries.get(who, params.id)),
  });

  add({
    method: 'GET',
    path: '/deliveries/:id/attempts/:number',
    operationId: 'getDeliveryAttempt',
    summary: 'Get an attempt with its request and its response',
    params: AttemptPath,
    responses: { 200: AttemptFull },
    ...gate.may('deliveries.read'),
    handle: async ({ who, params }) =>
      toFullAttempt(await deliveries.getAttempt(who, params.id, params.number)),
  });

  for (const owner of ['form', 'project'] as const) {
    const list = owner === 'form' ? deliveries.listByForm : deliveries.listByProject;
    add({
      method: 'GET',
      path: `/${owner}s/:id/deliveries`,
      operationId: owner === 'form' ? 'listFormDeliveries' : 'listProjectDeliveries',
      summary: `List the webhook deliveries of a ${owner}, those of the newest submissions first`,
      params: byId(`The ${owner}.`),
      query: DeliveryQuery,
      responses: { 200: DeliveryList },
      ...gate.may('deliveries.read'),
      async handle({ who, params, query: { limit = 25, cursor, state = null, url = null, include } }) {
        const page = await list(
          who,
          params.id,
          { state, url },
          {
            limit,
            after: toPlace(cursor),
            withData: include !== undefined,
          },
        );
        return jsonText(pageText(page));
      },
    });
  }

  for (const owner of ['form', 'project'] as const) {
    const test = owner === 'form' ? deliveries.testForm : deliveries.testProject;
    add({
      method: 'POST',
      path: `/${owner}s/:id/webhook-test`,
      operationId: owner === 'form' ? 'testFormWebhook' : 'testProjectWebhook',
      summary: `Send a test event to the webhook URL of a ${owner}, or to another one`,
      params: byId(`The ${owner}.`),
      body: WebhookTestRequest,
      bodyMayBeAbsent: true,
      responses: { 200: WebhookTestResult },
      errors: [409],
      ...gate.may('deliveries.manage'),
      handle: async ({ who, params, body: { url = null } }) => toTest(await test(who, params.id, url)),
    });
  }

  add({
    method: 'POST',
    path: '/deliveries/replay',
    operationId: 'replayDeliveries',
    summary: 'Send many deliveries again: by form or project, time and state; dry_run only counts',
    body: ReplayRequest,
    responses: { 200: ReplayCount, 202: ReplayFull },
    errors: [404, 409],
    ...gate.may('deliveries.manage'),
    async handle({ who, body }) {
      const options = toOptions(body);
      if (body.dry_run === true) return new Reply(200, { count: await replays.count(who, options) });
      return new Reply(202, toReplay(await replays.begin(who, options)));
    },
  });

  add({
    method: 'POST',
    path: '/deliveries/retry',
    operationId: 'retryDeliveries',
    summary: 'Send up to 1,000 deliveries again, 600 a minute',
    body: RetryDeliveries,
    responses: { 202: DeliveriesQueued },
    ...gate.may('deliveries.manage'),
    handle: async ({ who, body }) => ({ queued: await deliveries.retrySome(who, toChoice(body)) }),
  });

  add({
    method: 'GET',
    path: '/deliveries/replays',
    operationId: 'listReplays',
    summary: 'List the last replays, newest first',
    responses: { 200: ReplayList },
    ...gate.may('deliveries.read'),
    handle: async ({ who }) => ({ data: (await replays.list(who)).map(toReplay) }),
  });

  add({
    method: 'GET',
    path: '/deliveries/replays/:id',
    operationId: 'getReplay',
    summary: 'See how far a replay has come',
    params: byId('The replay.'),
    responses: { 200: ReplayFull },
    ...gate.may('deliveries.read'),
    handle: async ({ who, params }) => toReplay(await replays.get(who, params.id)),
  });

  add({
    method: 'POST',
    path: '/deliveries/replays/:id/cancel',
    operationId: 'cancelReplay',
    summary: 'Stop a replay; what is queued already is still sent',
    params: byId('The replay.'),
    responses: { 200: ReplayFull },
    errors: [409],
    ...gate.may('deliveries.manage'),
    handle: async ({ who, params }) => toReplay(await replays.cancel(who, params.id)),
  });
}
