/** /api/v1/stats, /api/v1/attention, /api/v1/instance: the overview. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AttentionItem,
  AttentionList,
  InstanceFull,
  Stats,
  StatsQuery,
} from '../../contract/numbers.js';
import type { InstanceReport } from '../../domain/instance/report.js';
import type { Attention, AttentionService } from '../../domain/tallies/attention.js';
import type { NumbersService } from '../../domain/tallies/numbers.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import { refuse } from '../../model/errors.js';
import { dayText } from '../../model/tally.js';
import type { DeliveryCounts } from '../../ports/deliveries.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

const defaultDays = 30;

const toDeliveries = ({ delivered, pending, paused, failed }: DeliveryCounts) => ({
  delivered,
  waiting: pending,
  paused,
  failed,
});

const toItem = ({
  kind,
  formId,
  formName,
  count,
  givenUp,
  detail,
  projectId,
  destination,
}: Attention): AttentionItem => ({
  kind,
  form_id: formId,
  form_name: formName,
  count,
  ...(givenUp !== undefined && { given_up: givenUp }),
  detail,
  project_id: projectId,
  destination: destination && {
    id: destination.id,
    name: destination.name,
    failing_since: isoTimeOrNull(destination.failingSince),
    last_error: destination.lastError,
    waiting: destination.waiting,
  },
});

export function numberRoutes(
  app: FastifyInstance,
  deps: {
    gate: Gate;
    numbers: NumbersService;
    attention: AttentionService;
    instance: InstanceReport;
    addressOf: (request: FastifyRequest) => string;
  },
): void {
  const { gate, numbers, attention, instance, addressOf } = deps;
  const add = routesOf(app, 'Statistics');

  add({
    method: 'GET',
    path: '/stats',
    operationId: 'getStats',
    summary: 'Count submissions, refusals and deliveries by day: of everything, of a project or of a form',
    query: StatsQuery,
    responses: { 200: Stats },
    errors: [404],
    ...gate.may('statistics.read'),
    async handle({ who, query }) {
      const { days = defaultDays, time_zone = 'UTC', form_id = null, project_id = null } = query;
      if (form_id !== null && project_id !== null) {
        throw refuse.invalidBody([{ path: 'project_id', message: 'give form_id or project_id, not both' }]);
      }
      const found = await numbers.get(who, {
        days,
        timeZone: time_zone,
        formId: form_id,
        projectId: project_id,
      });
      return {
        days: found.days.map(({ day, deliveries, ...counts }) => ({
          day: dayText(day),
          ...counts,
          deliveries: deliveries && toDeliveries(deliveries),
        })),
        delivery_ms: found.deliveryMs,
      };
    },
  });

  add({
    method: 'GET',
    path: '/attention',
    operationId: 'listAttention',
    summary:
      'List what needs attention: destinations that fail, forms left in sandbox mode, quarantine, disk, mails',
    responses: { 200: AttentionList },
    ...gate.may('statistics.read'),
    async handle({ who }) {
      const found = await attention.list(who);
      return {
        data: found.map(toItem),
      };
    },
  });

  add({
    method: 'GET',
    path: '/instance',
    operationId: 'getInstance',
    summary:
      'See how the instance stands: version, database, storage, queue, processes, and your address. Only the oldest account, the operator’s, sees sizes, the queue and the processes',
    responses: { 200: InstanceFull },
    ...gate.may('statistics.read'),
    async handle({ who, request }) {
      const found = await instance(who);
      return {
        version: found.version,
        node: found.node,
        started_at: isoTime(found.startedAt),
        uptime_s: Math.floor(found.uptimeMs / 1000),
        database: { engine: found.database.engine, size_bytes: found.database.sizeBytes },
        storage: { kind: found.storage.kind, free_bytes: found.storage.freeBytes },
        queue: { age_ms: found.queue.ageMs, waiting: found.queue.waiting },
        mail: { is_configured: found.sendsMail },
        processes:
          found.processes?.map(({ role, host, pid, version, startedAt, seenAt }) => ({
            ...{ role, host, pid, version },
            started_at: isoTime(startedAt),
            seen_at: isoTime(seenAt),
          })) ?? null,
        your_ip: addressOf(request),
      };
    },
  });
}
