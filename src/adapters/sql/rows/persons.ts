/**
 * Searches everything that may contain a person. Each page covers a bounded part of a table by its key, across all accounts, and
 * returns the account's rows in that part: no statement takes long, however few rows of the table the account has.
 */
import { type RawBuilder, sql } from 'kysely';
import type { PersonPlace } from '../../../model/erasure.js';
import { needleOf, type PersonKey } from '../../../model/person.js';
import type { PersonRow, PersonStore } from '../../../ports/persons.js';
import type { SqlContext } from '../context.js';
import { maxPageBytes } from '../engine.js';
import type { Schema } from '../schema.js';

interface Place {
  readonly table: keyof Schema & string;
  /** Unique, and with an index. */
  readonly key: readonly string[];
  /** Columns that may contain a person. */
  readonly texts: readonly string[];
  /** Whether a row belongs to the account. */
  readonly isOf: (accountId: string) => RawBuilder<unknown>;
  readonly form: string | null;
  readonly submission: string | null;
  readonly createdAt: string | null;
  /** A column that is also searched without its extension: a file may be named after an address. */
  readonly stem?: string;
}

const ofAccount = (accountId: string) => sql`account_id = ${accountId}`;
const projectsOf = (accountId: string) => sql`SELECT p.id FROM projects p WHERE p.account_id = ${accountId}`;
const formsOf = (accountId: string) =>
  sql`SELECT f.id FROM forms f WHERE f.project_id IN (${projectsOf(accountId)})`;
/** Includes deleted forms: their rows are stored until they are purged. */
const ofForm = (accountId: string) => sql`form_id IN (${formsOf(accountId)})`;

const visitor = ['data', 'ip', 'user_agent', 'submitted_from', 'control_fields'] as const;
const none = { form: null, submission: null, createdAt: null } as const;

export const places: Readonly<Record<PersonPlace, Place>> = {
  submissions: {
    ...{ table: 'submissions', key: ['id'], texts: visitor, isOf: ofForm },
    ...{ form: 'form_id', submission: 'id', createdAt: 'created_at' },
  },
  files: {
    ...{ table: 'files', key: ['id'], texts: ['filename', 'field_name'], isOf: ofAccount, stem: 'filename' },
    ...{ form: 'form_id', submission: 'submission_id', createdAt: 'uploaded_at' },
  },
  confirmations: {
    ...{ table: 'opt_ins', key: ['submission_id'], texts: ['address', 'ip', 'user_agent'], isOf: ofForm },
    ...{ form: 'form_id', submission: 'submission_id', createdAt: 'confirmed_at' },
  },
  quarantine: {
    ...{ table: 'quarantined', key: ['id'], texts: visitor, isOf: ofForm },
    ...{ form: 'form_id', submission: null, createdAt: 'created_at' },
  },
  deliveries: {
    ...{ table: 'deliveries', key: ['id'], texts: ['url', 'body'], isOf: ofForm },
    ...{ form: 'form_id', submission: 'submission_id', createdAt: 'created_at' },
  },
  attempts: {
    ...{ table: 'delivery_attempts', key: ['delivery_id', 'number'] },
    texts: ['error', 'response', 'request', 'response_headers'],
    isOf: (accountId) => sql`EXISTS (SELECT 1 FROM deliveries d
      WHERE d.id = delivery_attempts.delivery_id AND d.form_id IN (${formsOf(accountId)}))`,
    ...{ ...none, createdAt: 'at' },
  },
  mails: {
    ...{ table: 'mails', key: ['id'], texts: ['recipient', 'error'], isOf: ofForm },
    ...{ form: 'form_id', submission: 'submission_id', createdAt: 'created_at' },
  },
  notes: {
    ...{ table: 'notes', key: ['id'], texts: ['text'], isOf: ofAccount },
    ...{ form: null, submission: 'submission_id', createdAt: 'created_at' },
  },
  idempotency_results: {
    ...{ table: 'idempotency_keys', key: ['form_id', 'key'], texts: ['key', 'files'], isOf: ofForm },
    ...{ form: 'form_id', submission: 'submission_id', createdAt: null },
  },
  rejections: {
    ...{ table: 'turned_away_examples', key: ['form_id', 'reason', 'id'], isOf: ofForm },
    ...{ texts: ['seen', 'ip', 'user_agent'], form: 'form_id', submission: null, createdAt: 'at' },
  },
  suppressed_addresses: {
    ...{ table: 'suppressed_addresses', key: ['id'], texts: ['address', 'detail'], isOf: ofAccount },
    ...{ ...none, createdAt: 'created_at' },
  },
  replays: {
    ...{ table: 'replays', key: ['id'], texts: ['filter'], isOf: ofAccount },
    ...{ form: 'form_id', submission: null, createdAt: 'created_at' },
  },
  views: {
    ...{ table: 'saved_views', key: ['id'], texts: ['name', 'query'], isOf: ofAccount },
    ...{ form: 'form_id', submission: null, createdAt: 'created_at' },
  },
  fields: {
    ...{ table: 'form_fields', key: ['form_id', 'name'], texts: ['name'], isOf: ofForm },
    ...{ form: 'form_id', submission: null, createdAt: 'first_seen_at' },
  },
  destination_errors: {
    ...{ table: 'destinations', key: ['id'], texts: ['last_error'], ...none },
    isOf: (accountId) => sql`project_id IN (${projectsOf(accountId)})`,
  },
};

/** Rows per step: short enough for a reader that other queries wait for. */
const windowRows = 500;

type Cursor = readonly (string | number)[];
const refOf = (values: Cursor): string => JSON.stringify(values);
export const ofRef = (ref: string): Cursor => JSON.parse(ref) as Cursor;

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)));
const tuple = (columns: readonly string[]) =>
  columns.length === 1 ? sql.ref(columns[0] ?? '') : sql`(${refs(columns)})`;
const values = (cursor: Cursor) =>
  cursor.length === 1 ? sql`${cursor[0]}` : sql`(${sql.join(cursor.map((value) => sql`${value}`))})`;

/** Also matches texts with `\u`, where characters may be written by number. `%40` for an @ is covered by `needleOf`. */
function mayHold(texts: readonly string[], key: PersonKey | null): RawBuilder<unknown> {
  const needle = key && needleOf(key);
  if (needle === null) return sql`1 = 1`;
  const pattern = `%${needle.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const numbered = '%\\\\u%';
  const conditions = texts.map(
    (text) =>
      sql`lower(${sql.ref(text)}) LIKE ${pattern} ESCAPE '\\' OR ${sql.ref(text)} LIKE ${numbered} ESCAPE '\\'`,
  );
  return sql`(${sql.join(conditions, sql` OR `)})`;
}

type Found = Readonly<Record<string, string | number | null>>;

/** The end of the next part of the table: `windowRows` rows, or fewer if they are large. */
async function endOfWindow(
  { read }: SqlContext,
  { table, key, texts }: Place,
  after: Cursor | null,
): Promise<{ readonly last: Cursor; readonly isLast: boolean } | null> {
  const bytes = sql.join(
    texts.map((text) => sql`COALESCE(octet_length(${sql.ref(text)}), 0)`),
    sql` + `,
  );
  const { rows } = await sql<Found>`SELECT ${refs(key)}, ${bytes} AS bytes FROM ${sql.table(table)}
    ${after === null ? sql`` : sql`WHERE ${tuple(key)} > ${values(after)}`}
    ORDER BY ${refs(key)} LIMIT ${windowRows}`.execute(read);
  let taken = 0;
  let sum = 0;
  for (const row of rows) {
    sum += Number(row.bytes);
    if (taken > 0 && sum > maxPageBytes) break;
    taken += 1;
  }
  const end = rows[taken - 1];
  if (!end) return null;
  return {
    last: key.map((column) => end[column] ?? ''),
    isLast: taken === rows.length && rows.length < windowRows,
  };
}

const textOf = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

const stemsOf = ({ stem }: Place, row: Found): readonly string[] =>
  stem === undefined ? [] : [(textOf(row[stem]) ?? '').replace(/\.\w{1,8}$/, '')];

const toRow = (place: Place, row: Found): PersonRow => ({
  ref: refOf(place.key.map((column) => row[column] ?? '')),
  formId: place.form === null ? null : textOf(row[place.form]),
  submissionId: place.submission === null ? null : textOf(row[place.submission]),
  createdAt: place.createdAt === null || row[place.createdAt] == null ? null : Number(row[place.createdAt]),
  texts: [...place.texts.map((text) => textOf(row[text])), ...stemsOf(place, row)],
});

const columnsOf = ({ key, texts, form, submission, createdAt }: Place): readonly string[] => [
  ...new Set([...key, ...texts, ...[form, submission, createdAt].filter((column) => column !== null)]),
];

export const personStore = (context: SqlContext): PersonStore => ({
  async scan(accountId, name, personKey, after) {
    const place = places[name];
    const from = after === '' ? null : ofRef(after);
    const window = await endOfWindow(context, place, from);
    if (window === null) return { rows: [], next: null };
    const { rows } = await sql<Found>`SELECT ${refs(columnsOf(place))} FROM ${sql.table(place.table)}
      WHERE ${from === null ? sql`1 = 1` : sql`${tuple(place.key)} > ${values(from)}`}
        AND ${tuple(place.key)} <= ${values(window.last)}
        AND ${place.isOf(accountId)} AND ${mayHold(place.texts, personKey)}
      ORDER BY ${refs(place.key)}`.execute(context.read);
    return { rows: rows.map((row) => toRow(place, row)), next: window.isLast ? null : refOf(window.last) };
  },
});
