/** /api/v1/…/deliveries: how webhooks went, sending again, replays, trying an address out. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  DeliveryFull,
  DeliveryItem,
  DeliveryList,
  type DeliveryListed,
  DeliveryQuery,
  WebhookTestRequest,
  WebhookTestResult,
} from '../../contract/delivery.js';
import { ReplayCount, ReplayFull, ReplayList, ReplayRequest } from '../../contract/replay.js';
import { listOf } from '../../contract/shapes.js';
import { shownRemoteAddress } from '../../domain/webhooks/address-policy.js';
import type { ReplayService, ReplayWish } from '../../domain/webhooks/replay.js';
import type { DeliveryService, TestResult } from '../../domain/webhooks/service.js';
import { isoTime } from '../../kernel/clock.js';
import type { Attempt, DeliveryWithAttempts } from '../../model/delivery.js';
import { refuse } from '../../model/errors.js';
import type { Replay } from '../../model/replay.js';
import type { DeliveryPlace, ListedDelivery } from '../../ports/store.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

const toAttempt = (attempt: Attempt): DeliveryItem['attempts'][number] => ({
  number: attempt.number,
  at: isoTime(attempt.at),
  trigger: attempt.trigger,
  status: attempt.status,
  duration_ms: attempt.durationMs,
  error: attempt.error,
  response: attempt.response,
});

const toFields = (delivery: DeliveryWithAttempts): Omit<DeliveryItem, 'attempts'> => ({
  id: delivery.id,
  target: delivery.target,
  url: delivery.url,
  state: delivery.state,
  next_attempt_at: delivery.isInFlight ? null : timeOrNull(delivery.nextAttemptAt),
});

const toItem = (delivery: DeliveryWithAttempts): DeliveryItem => ({
  ...toFields(delivery),
  attempts: delivery.attempts.map(toAttempt),
});

const toFull = (delivery: DeliveryWithAttempts): DeliveryFull => ({
  ...toFields(delivery),
  submission_id: delivery.submissionId,
  form_id: delivery.formId,
  project_id: delivery.projectId,
  in_flight: delivery.isInFlight,
  created_at: isoTime(delivery.createdAt),
  attempts: delivery.attempts.map((attempt) => ({
    ...toAttempt(attempt),
    remote_address: shownRemoteAddress(delivery.url, attempt.remoteAddress),
    timings: {
      dns_ms: attempt.dnsMs,
      connect_ms: attempt.connectMs,
      first_byte_ms: attempt.firstByteMs,
    },
  })),
});

const toReplay = (replay: Replay): ReplayFull => ({
  id: replay.id,
  form_id: replay.formId,
  project_id: replay.projectId,
  since: timeOrNull(replay.since),
  until: isoTime(replay.until),
  state: replay.deliveryState === 'delivered' ? 'delivered' : 'failed',
  status: replay.state,
  per_minute: replay.perMinute,
  count: replay.total,
  sent: replay.sent,
  created_at: isoTime(replay.createdAt),
  finished_at: timeOrNull(replay.finishedAt),
});

const toTest = (result: TestResult): WebhookTestResult => ({
  delivered: result.isDelivered,
  url: result.url,
  status: result.status,
  duration_ms: result.durationMs,
  error: result.error,
  response: result.response,
});

const defaultPerMinute = 600;

function toWish(body: ReplayRequest): ReplayWish {
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

const ById = Type.Object({ id: Type.String() });

const toListed = (delivery: ListedDelivery): DeliveryListed => ({
  id: delivery.id,
  submission_id: delivery.submissionId,
  form_id: delivery.formId,
  target: delivery.target,
  url: delivery.url,
  state: delivery.state,
  attempts: delivery.attempt,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  next_attempt_at: delivery.isInFlight ? null : timeOrNull(delivery.nextAttemptAt),
  created_at: isoTime(delivery.createdAt),
});

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
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) =>
    route(app, { tag: 'Deliveries', ...definition });

  add({
    method: 'GET',
    path: '/submissions/:id/deliveries',
    summary: 'List the webhook deliveries of a submission',
    params: ById,
    answers: { 200: listOf(DeliveryItem) },
    errors: [404],
    caller: gate.reader,
    async handle({ who, id }) {
      return { data: (await deliveries.listBySubmission(who, id)).map(toItem) };
    },
  });

  add({
    method: 'POST',
    path: '/submissions/:id/retry-webhook',
    summary: 'Send the webhooks of a submission again, at once',
    params: ById,
    answers: { 202: listOf(DeliveryItem) },
    errors: [404, 409],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      return reply.status(202).send({ data: (await deliveries.retry(who, id)).map(toItem) });
    },
  });

  add({
    method: 'GET',
    path: '/deliveries/:id',
    summary: 'Get a delivery with the timings of its attempts',
    params: ById,
    answers: { 200: DeliveryFull },
    errors: [404],
    caller: gate.reader,
    handle: async ({ who, id }) => toFull(await deliveries.get(who, id)),
  });

  for (const owner of ['form', 'project'] as const) {
    const list = owner === 'form' ? deliveries.listByForm : deliveries.listByProject;
    add({
      method: 'GET',
      path: `/${owner}s/:id/deliveries`,
      summary: `List the webhook deliveries of a ${owner}, those of the newest submissions first`,
      params: ById,
      query: DeliveryQuery,
      answers: { 200: DeliveryList },
      errors: [404],
      caller: gate.reader,
      async handle({ who, id, request }) {
        const { limit = 25, cursor, state = null, url = null } = request.query as DeliveryQuery;
        const page = await list(who, id, { state, url }, { limit, after: toPlace(cursor) });
        return { data: page.items.map(toListed), next_cursor: toCursor(page.next) };
      },
    });
  }

  for (const owner of ['form', 'project'] as const) {
    const test = owner === 'form' ? deliveries.testForm : deliveries.testProject;
    add({
      method: 'POST',
      path: `/${owner}s/:id/webhook-test`,
      summary: `Send a test event to the webhook URL of a ${owner}, or to another one`,
      params: ById,
      body: WebhookTestRequest,
      bodyMayBeAbsent: true,
      answers: { 200: WebhookTestResult },
      errors: [404, 409, 503],
      caller: gate.writer,
      async handle({ who, id, request }) {
        const { url = null } = request.body as WebhookTestRequest;
        return toTest(await test(who, id, url));
      },
    });
  }

  add({
    method: 'POST',
    path: '/deliveries/replay',
    summary: 'Send many deliveries again: by form or project, time and state; dry_run only counts',
    body: ReplayRequest,
    answers: { 200: ReplayCount, 202: ReplayFull },
    errors: [404, 409],
    caller: gate.writer,
    async handle({ who, request, reply }) {
      const body = request.body as ReplayRequest;
      const wish = toWish(body);
      if (body.dry_run === true) return { count: await replays.count(who, wish) };
      return reply.status(202).send(toReplay(await replays.begin(who, wish)));
    },
  });

  add({
    method: 'GET',
    path: '/deliveries/replays',
    summary: 'List the last replays, newest first',
    answers: { 200: ReplayList },
    caller: gate.reader,
    handle: async ({ who }) => ({ data: (await replays.list(who)).map(toReplay) }),
  });

  add({
    method: 'GET',
    path: '/deliveries/replays/:id',
    summary: 'See how far a replay has come',
    params: ById,
    answers: { 200: ReplayFull },
    errors: [404],
    caller: gate.reader,
    handle: async ({ who, id }) => toReplay(await replays.get(who, id)),
  });

  add({
    method: 'POST',
    path: '/deliveries/replays/:id/cancel',
    summary: 'Stop a replay; what is queued already is still sent',
    params: ById,
    answers: { 200: ReplayFull },
    errors: [404, 409],
    caller: gate.writer,
    handle: async ({ who, id }) => toReplay(await replays.cancel(who, id)),
  });
}
