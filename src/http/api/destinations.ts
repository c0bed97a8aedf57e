/** /api/v1/destinations, and those of a form or a project */
import type { FastifyInstance } from 'fastify';
import {
  BackfillRequest,
  CreateDestination,
  configOf,
  DestinationFull,
  DestinationList,
  DestinationPreview,
  DestinationTest,
  type KindName,
  PatchDestination,
  PreviewRequest,
} from '../../contract/destination.js';
import { ReplayCount, ReplayFull } from '../../contract/replay.js';
import { byId } from '../../contract/shapes.js';
import type { BackfillOptions, DestinationSends } from '../../domain/deliveries/destination-sends.js';
import type {
  DestinationInput,
  DestinationService,
  ShownDestination,
} from '../../domain/destinations/service.js';
import { shownConfig } from '../../domain/destinations/shown-config.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import type { KindAndConfig } from '../../model/destination.js';
import type { SendResult } from '../../ports/destination-kind.js';
import type { Gate } from '../principal.js';
import { Reply, routesOf } from '../route.js';
import { checksOfPart } from '../validation.js';
import { toReplay } from './deliveries.js';

/** Converts a request body. Sets only the fields that were sent. */
const toInput = (body: PatchDestination): DestinationInput => ({
  ...(body.name === undefined ? {} : { name: body.name.trim() }),
  ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
  ...(body.config === undefined ? {} : { config: body.config }),
  ...(body.filter === undefined ? {} : { filter: body.filter }),
  ...(body.template === undefined ? {} : { template: body.template }),
  ...(body.retry === undefined
    ? {}
    : { retryDelaysMs: body.retry?.delays.map((seconds) => Math.round(seconds * 1000)) ?? null }),
});

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

const toFull = ({ destination, state, waiting }: ShownDestination): DestinationFull => ({
  id: destination.id,
  project_id: destination.projectId,
  form_id: destination.formId,
  kind: destination.kind,
  name: destination.name,
  is_active: destination.isActive,
  built_in: destination.builtIn,
  config: shownConfig(destination),
  filter: parsed(destination.filter),
  template: parsed(destination.template),
  retry: destination.retryDelaysMs && { delays: destination.retryDelaysMs.map((ms) => ms / 1000) },
  status: {
    state,
    failing_since: isoTimeOrNull(destination.health.failingSince),
    last_success_at: isoTimeOrNull(destination.health.lastSuccessAt),
    last_error: destination.health.lastError,
    waiting,
  },
  created_at: isoTime(destination.createdAt),
  updated_at: isoTime(destination.updatedAt),
});

/** Throws the errors of a config that does not have the shape of its kind, as for any other part of a body. */
export function createConfigCheck(): (kind: KindName, config: unknown) => KindAndConfig {
  const check = checksOfPart('config', configOf);
  return (kind, config) => {
    const refusal = check(kind, config);
    if (refusal) throw refusal;
    // Validated by the schema of its kind.
    return { kind, config } as KindAndConfig;
  };
}

const toTest = (result: SendResult): DestinationTest => ({
  delivered: result.end === 'succeeded',
  status: result.status,
  duration_ms: result.durationMs,
  error: result.error,
  request: result.request(),
  response: result.response,
});

const instantOrNull = (text: string | undefined): number | null =>
  text === undefined ? null : Date.parse(text);

const toOptions = (body: BackfillRequest): BackfillOptions => ({
  since: instantOrNull(body.since),
  until: instantOrNull(body.until),
  filter: body.filter,
  perMinute: body.per_minute ?? 600,
});

const owners = [
  { kind: 'form', noun: 'Form', params: byId('The id or the public_id of the form.') },
  { kind: 'project', noun: 'Project', params: byId('The project.') },
] as const;
const ById = byId('The destination.');

export function destinationRoutes(
  app: FastifyInstance,
  { gate, destinations, sends }: { gate: Gate; destinations: DestinationService; sends: DestinationSends },
): void {
  const add = routesOf(app, 'Destinations');

  for (const { kind, noun, params } of owners) {
    add({
      method: 'GET',
      path: `/${kind}s/:id/destinations`,
      operationId: `list${noun}Destinations`,
      summary: `List the destinations of a ${kind}, built-in ones first`,
      params,
      responses: { 200: DestinationList },
      ...gate.may('destinations.read'),
      handle: async ({ who, params: { id } }) => ({
        data: (await destinations.list(who, { kind, id })).map(toFull),
      }),
    });

    add({
      method: 'POST',
      path: `/${kind}s/:id/destinations`,
      operationId: `create${noun}Destination`,
      summary:
        kind === 'form'
          ? 'Add a destination for the submissions of a form'
          : 'Add a destination for the submissions of all forms of a project',
      params,
      body: CreateDestination,
      responses: { 201: DestinationFull },
      errors: [409],
      ...gate.may('destinations.manage'),
      async handle({ who, params: { id }, body }) {
        const input = { ...toInput(body), kind: body.kind, config: body.config };
        return toFull(await destinations.create(who, { kind, id }, input));
      },
    });
  }

  add({
    method: 'GET',
    path: '/destinations/:id',
    operationId: 'getDestination',
    summary: 'Get a destination',
    params: ById,
    responses: { 200: DestinationFull },
    ...gate.may('destinations.read'),
    handle: async ({ who, params }) => toFull(await destinations.get(who, params.id)),
  });

  add({
    method: 'PATCH',
    path: '/destinations/:id',
    operationId: 'updateDestination',
    summary: 'Change a destination; config is merged key by key with what is stored',
    params: ById,
    body: PatchDestination,
    responses: { 200: DestinationFull },
    errors: [409],
    ...gate.may('destinations.manage'),
    handle: async ({ who, params, body }) => toFull(await destinations.update(who, params.id, toInput(body))),
  });

  add({
    method: 'DELETE',
    path: '/destinations/:id',
    operationId: 'deleteDestination',
    summary: 'Delete a destination; what waits for it is not sent',
    params: ById,
    responses: { 204: null },
    errors: [409],
    ...gate.may('destinations.manage'),
    handle: ({ who, params }) => destinations.delete(who, params.id),
  });

  for (const { kind, noun, params } of owners) {
    add({
      method: 'POST',
      path: `/${kind}s/:id/destinations/preview`,
      operationId: `preview${noun}Destination`,
      summary: `See which of the last submissions of a ${kind} a destination would get, and what they would become`,
      params,
      body: PreviewRequest,
      responses: { 200: DestinationPreview },
      ...gate.may('destinations.read'),
      handle: ({ who, params: { id }, body }) =>
        sends.preview(who, { kind, id }, { kind: body.kind, filter: body.filter, template: body.template }),
    });
  }

  add({
    method: 'POST',
    path: '/destinations/:id/test',
    operationId: 'testDestination',
    summary: 'Send a sample to a destination now, and see the whole exchange',
    params: ById,
    responses: { 200: DestinationTest },
    errors: [409],
    ...gate.may('destinations.manage'),
    handle: async ({ who, params }) => toTest(await sends.test(who, params.id)),
  });

  add({
    method: 'POST',
    path: '/destinations/:id/backfill',
    operationId: 'backfillDestination',
    summary: 'Send submissions of the past that a destination never got; dry_run only counts',
    params: ById,
    body: BackfillRequest,
    bodyMayBeAbsent: true,
    responses: { 200: ReplayCount, 202: ReplayFull },
    errors: [404, 409],
    ...gate.may('destinations.manage'),
    async handle({ who, params, body }) {
      const options = toOptions(body);
      if (body.dry_run === true)
        return new Reply(200, { count: await sends.countMissed(who, params.id, options) });
      return new Reply(202, toReplay(await sends.backfill(who, params.id, options)));
    },
  });
}
