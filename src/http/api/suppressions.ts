/** /api/v1/suppressed-addresses and /api/v1/forms/{id}/suppressed-replies: mails that were not sent, and why. */
import type { FastifyInstance } from 'fastify';
import { RejectionQuery } from '../../contract/rejections.js';
import { byId } from '../../contract/shapes.js';
import {
  type SuppressedAddressItem,
  SuppressedAddressList,
  SuppressedAddressQuery,
  SuppressedReplies,
} from '../../contract/suppression.js';
import type { SuppressionService } from '../../domain/replies/service.js';
import { isoTime } from '../../kernel/clock.js';
import type { SuppressedAddress } from '../../model/suppression.js';
import { dayText } from '../../model/tally.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';

const defaultDays = 30;

const toItem = (suppressed: SuppressedAddress): SuppressedAddressItem => ({
  id: suppressed.id,
  address: suppressed.address,
  reason: suppressed.reason,
  detail: suppressed.detail,
  destination_id: suppressed.destinationId,
  created_at: isoTime(suppressed.createdAt),
});

export function suppressionRoutes(
  app: FastifyInstance,
  { gate, suppressions }: { gate: Gate; suppressions: SuppressionService },
): void {
  const add = routesOf(app, 'E-mail');

  add({
    method: 'GET',
    path: '/suppressed-addresses',
    operationId: 'listSuppressedAddresses',
    summary: 'List the addresses that get no more e-mail, newest first',
    query: SuppressedAddressQuery,
    responses: { 200: SuppressedAddressList },
    ...gate.may('suppressed_addresses.read'),
    async handle({ who, query: { limit = 25, cursor, address = null } }) {
      const page = { limit: limit + 1, after: decodeCursor(cursor, 'list') };
      const found = await suppressions.list(who, address, page);
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      return { data: shown.map(toItem), next_cursor: last ? encodeCursor(last.id) : null };
    },
  });

  add({
    method: 'DELETE',
    path: '/suppressed-addresses/:id',
    operationId: 'liftSuppressedAddress',
    summary: 'Send mails to an address again',
    params: byId('The entry.'),
    responses: { 204: null },
    ...gate.may('suppressed_addresses.manage'),
    handle: ({ who, params }) => suppressions.lift(who, params.id),
  });

  add({
    method: 'GET',
    path: '/forms/:id/suppressed-replies',
    operationId: 'getSuppressedReplies',
    summary: 'See how many replies of a form were not sent, by reason and day',
    params: byId('The id or the public_id of the form.'),
    query: RejectionQuery,
    responses: { 200: SuppressedReplies },
    ...gate.may('deliveries.read'),
    async handle({ who, params, query: { days = defaultDays, time_zone = 'UTC' } }) {
      const found = await suppressions.replies(who, params.id, days, time_zone);
      return { days: found.map(({ day, total, reasons }) => ({ day: dayText(day), total, reasons })) };
    },
  });
}
