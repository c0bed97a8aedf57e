/** /api/v1/forms/{id}/turned-away: why requests were refused. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { TurnedAwayQuery, TurnedAwayReport } from '../../contract/turned-away.js';
import type { TurnedAwayService } from '../../domain/tallies/turned-away.js';
import { isoTime } from '../../kernel/clock.js';
import { dayText } from '../../model/tally.js';
import type { Gate } from '../principal.js';
import { route } from '../route.js';

const defaultDays = 30;

export function turnedAwayRoutes(
  app: FastifyInstance,
  deps: { gate: Gate; turnedAway: TurnedAwayService },
): void {
  route(app, {
    method: 'GET',
    path: '/forms/:id/turned-away',
    tag: 'Numbers',
    summary: 'See which requests a form refused, by reason and day, with the last examples',
    params: Type.Object({ id: Type.String() }),
    query: TurnedAwayQuery,
    answers: { 200: TurnedAwayReport },
    errors: [404],
    caller: deps.gate.reader,
    async handle({ who, id, request }): Promise<TurnedAwayReport> {
      const { days = defaultDays } = request.query as TurnedAwayQuery;
      const report = await deps.turnedAway.report(who, id, days);
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
