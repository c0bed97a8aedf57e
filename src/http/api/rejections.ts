/** /api/v1/forms/{id}/rejections: why requests were rejected. */
import type { FastifyInstance } from 'fastify';
import { RejectionQuery, RejectionReport } from '../../contract/rejections.js';
import { byId } from '../../contract/shapes.js';
import type { RejectionService } from '../../domain/tallies/rejections.js';
import { isoTime } from '../../kernel/clock.js';
import { dayText } from '../../model/tally.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

const defaultDays = 30;

export function rejectionRoutes(
  app: FastifyInstance,
  deps: { gate: Gate; rejections: RejectionService },
): void {
  routesOf(
    app,
    'Statistics',
  )({
    method: 'GET',
    path: '/forms/:id/rejections',
    operationId: 'getFormRejections',
    summary: 'See which requests a form refused, by reason and day, with the last examples',
    params: byId('The id or the public_id of the form.'),
    query: RejectionQuery,
    responses: { 200: RejectionReport },
    ...deps.gate.may('statistics.read'),
    async handle({ who, params, query: { days = defaultDays, time_zone = 'UTC' } }) {
      const report = await deps.rejections.report(who, params.id, days, time_zone);
      return {
        days: report.days.map(({ day, total, reasons }) => ({ day: dayText(day), total, reasons })),
        examples: report.examples.map((example) => ({
          reason: example.reason,
          at: isoTime(example.at),
          seen: example.seen,
          ip: example.ip,
          user_agent: example.userAgent,
        })),
      };
    },
  });
}
