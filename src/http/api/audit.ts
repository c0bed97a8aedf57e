/** /api/v1/audit: who did what. Entries cannot be changed or deleted here. */
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyInstance } from 'fastify';
import {
  AuditExport,
  type AuditExportQuery,
  AuditPage,
  AuditQuery,
  AuditExportQuery as ExportQuery,
  type AuditEntry as Shown,
} from '../../contract/audit.js';
import type { AuditService } from '../../domain/audit/service.js';
import { safeCell } from '../../domain/submissions/spreadsheet-cell.js';
import { isoTime } from '../../kernel/clock.js';
import { type AuditEntry, isErased } from '../../model/audit.js';
import type { AuditFilter } from '../../ports/audit.js';
import type { Gate } from '../principal.js';
import { Raw, Reply, routesOf } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';

/** Stored values are always JSON objects that Inlet wrote. */
const toValues = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : (JSON.parse(text) as Record<string, unknown>);

const toShown = (entry: AuditEntry): Shown => ({
  seq: entry.seq,
  at: isoTime(entry.at),
  action: entry.action,
  actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
  address: entry.address,
  user_agent: entry.userAgent,
  object: { kind: entry.objectKind, id: entry.objectId, name: entry.objectName },
  before: toValues(entry.beforeValues),
  after: toValues(entry.afterValues),
  is_redacted: isErased(entry),
  previous_hash: entry.previousHash,
  hash: entry.hash,
});

const time = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

const toFilter = (query: AuditExportQuery): AuditFilter => ({
  actor: query.actor ?? null,
  actorKind: query.actor_kind ?? null,
  action: query.action ?? null,
  objectId: query.object ?? null,
  objectKind: query.object_kind ?? null,
  from: time(query.from),
  to: time(query.to),
});

type Pages = AsyncGenerator<readonly AuditEntry[]>;

async function* jsonLines(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((entry) => `${JSON.stringify(toShown(entry))}\n`).join('');
}

const columns = [
  ...['seq', 'at', 'action', 'actor_kind', 'actor_id', 'actor_name', 'address', 'user_agent', 'object_kind'],
  ...['object_id', 'object_name', 'before', 'after', 'is_redacted', 'previous_hash', 'hash'],
];

const cellsOf = (entry: AuditEntry): readonly string[] =>
  [
    ...[String(entry.seq), isoTime(entry.at), entry.action, entry.actorKind, entry.actorId, entry.actorName],
    ...[entry.address, entry.userAgent, entry.objectKind, entry.objectId, entry.objectName],
    ...[entry.beforeValues, entry.afterValues, String(isErased(entry)), entry.previousHash, entry.hash],
  ].map((cell) => cell ?? '');

const csv = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((row) => row.map(safeCell)),
    { quoted_string: true, record_delimiter: 'windows' },
  );

async function* csvRows(pages: Pages): AsyncGenerator<string> {
  yield csv([columns]);
  for await (const page of pages) yield csv(page.map(cellsOf));
}

export function auditRoutes(
  app: FastifyInstance,
  { gate, audit }: { gate: Gate; audit: AuditService },
): void {
  const add = routesOf(app, 'Audit log');

  add({
    method: 'GET',
    path: '/audit',
    operationId: 'listAuditEntries',
    summary: 'List who did what in the account, newest first',
    query: AuditQuery,
    responses: { 200: AuditPage },
    ...gate.may('audit.read'),
    async handle({ who, query: { limit = 25, cursor, ...filters } }) {
      const place = decodeCursor(cursor, 'search');
      const page = { limit, before: place === null ? null : Number(place) };
      const { entries, next } = await audit.list(who, toFilter(filters), page);
      return { data: entries.map(toShown), next_cursor: next === null ? null : encodeCursor(String(next)) };
    },
  });

  add({
    method: 'GET',
    path: '/audit/export',
    operationId: 'exportAuditEntries',
    summary: 'Export the audit log, newest entries first',
    query: ExportQuery,
    responses: { 200: AuditExport },
    ...gate.may('audit.read'),
    async handle({ who, query: { format = 'ndjson', ...filters } }) {
      const pages = await audit.export(who, toFilter(filters));
      const lines = format === 'csv' ? csvRows(pages) : jsonLines(pages);
      const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
      return new Reply(200, new Raw(type, Readable.from(lines, { objectMode: false })), {
        'content-disposition': `attachment; filename="audit-log.${format}"`,
      });
    },
  });
}
