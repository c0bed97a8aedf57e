/**
 * Copies the rows of an instance from one database to another, of either kind, and computes digests to compare both.
 * Invariants: each page of rows is committed together with the position at which it ends, so that a killed copy resumes
 * there; and the size of a page in bytes is bounded.
 */
import { createHash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqlEngine, SqlValue } from '../engine.js';
import type { Schema } from '../schema.js';
import { blobTables } from './blobs.js';
import { type CopyMark, instanceRows, markInsert } from './mark.js';
import { copiedTables, type TableToCopy } from './tables.js';

const pageRows = 2000;
/** Small enough to arrive over a slow connection within the query timeout. */
const pageBytes = 1024 * 1024;

type Row = Readonly<Record<string, SqlValue>>;
type Place = readonly SqlValue[];

const names = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

const after = (key: readonly string[], place: Place | null): RawBuilder<unknown> =>
  place === null ? sql`` : sql`WHERE (${names(key)}) > (${sql.join(place)})`;

const placeOf = ({ key }: TableToCopy, row: Row): Place => key.map((column) => row[column] ?? null);

/** The rows after that position in key order, up to the limits of a page. */
async function readPage(db: Kysely<Schema>, table: TableToCopy, from: Place | null): Promise<readonly Row[]> {
  const { key, large } = table;
  const order = sql`ORDER BY ${names(key)} LIMIT ${sql.lit(pageRows)}`;
  if (large.length === 0) {
    const { rows } = await sql<Row>`
      SELECT * FROM ${sql.table(table.name)} ${after(key, from)} ${order}`.execute(db);
    return rows;
  }
  // Both databases know the length of a text without reading it.
  const bytes = sql.join(
    large.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  );
  const { rows: sizes } = await sql<Row & { bytes: number }>`
    SELECT ${names(key)}, ${bytes} AS bytes FROM ${sql.table(table.name)} ${after(key, from)} ${order}`.execute(
    db,
  );
  let total = 0;
  const fitting = sizes.findIndex((row) => {
    total += Number(row.bytes);
    return total > pageBytes;
  });
  const last = sizes[fitting === -1 ? sizes.length - 1 : Math.max(0, fitting - 1)];
  if (!last) return [];
  const upTo = sql`(${names(key)}) <= (${sql.join(placeOf(table, last))})`;
  const { rows } = await sql<Row>`
    SELECT * FROM ${sql.table(table.name)}
    ${from === null ? sql`WHERE ${upTo}` : sql`${after(key, from)} AND ${upTo}`}
    ORDER BY ${names(key)}`.execute(db);
  return rows;
}

/** Yields page after page, and reads the next one while the caller works on the current one. */
async function* pages(
  db: Kysely<Schema>,
  table: TableToCopy,
  from: Place | null,
): AsyncGenerator<{
  readonly rows: readonly Row[];
  readonly end: Place;
  readonly columns: readonly string[];
}> {
  let next = readPage(db, table, from);
  for (;;) {
    const rows = await next;
    const last = rows.at(-1);
    if (!last) return;
    const end = placeOf(table, last);
    next = readPage(db, table, end);
    // A rejection is thrown by the next iteration. If the caller stops before, it must not go unhandled.
    next.catch(() => {});
    yield { rows, end, columns: columnsOf(last) };
  }
}

/** Sorted, because the two databases may have their columns in different orders. */
const columnsOf = (row: Row): readonly string[] => Object.keys(row).sort();

const valuesOf = (columns: readonly string[], row: Row): readonly SqlValue[] =>
  columns.map((column) => row[column] ?? null);

/** The values as the target stores them. */
const keptIn = (target: SqlEngine, values: readonly SqlValue[]): readonly SqlValue[] =>
  values.map((value) => (typeof value === 'string' ? target.keptText(value) : value));

const countedAtOnce = 100_000;

/** Counts in steps along the key: counting millions at once can exceed the query timeout. */
async function countRows(db: Kysely<Schema>, table: TableToCopy): Promise<number> {
  const { key } = table;
  const name = sql.table(table.name);
  for (let counted = 0, from: Place | null = null; ; counted += countedAtOnce) {
    const behind: RawBuilder<unknown> = after(key, from);
    const { rows: ends } = await sql<Row>`
      SELECT ${names(key)} FROM ${name} ${behind} ORDER BY ${names(key)}
      LIMIT 1 OFFSET ${sql.lit(countedAtOnce - 1)}`.execute(db);
    const [end] = ends;
    if (end) {
      from = placeOf(table, end);
      continue;
    }
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM (SELECT 1 FROM ${name} ${behind}) AS rest`.execute(db);
    return counted + Number(rows[0]?.n ?? 0);
  }
}

export async function countAllRows({ read }: SqlEngine): Promise<number> {
  let total = 0;
  for (const table of copiedTables) total += await countRows(read, table);
  return total;
}

/** Returns the first table that has rows, or null when the database has no instance. */
export async function firstFilledTable({ read }: SqlEngine): Promise<string | null> {
  for (const { name } of copiedTables) {
    const { rows } = await sql`SELECT 1 FROM ${sql.table(name)} LIMIT 1`.execute(read);
    if (rows.length > 0) return name;
  }
  return null;
}

export const newMark = (instance: string): CopyMark => ({
  instance,
  phase: 'rows',
  table: copiedTables[0]?.name ?? '',
  after: null,
});

export interface Carrying {
  readonly source: SqlEngine;
  readonly target: SqlEngine;
  readonly mark: CopyMark;
  readonly onRows: (count: number) => void;
}

/** Copies all rows after the position of the mark. Resolves with the mark at which the bytes phase begins. */
export async function carryRows({ source, target, mark, onRows }: Carrying): Promise<CopyMark> {
  if (mark.phase !== 'rows') return mark;
  const begun = copiedTables.findIndex((table) => table.name === mark.table);
  if (begun === -1) throw new Error(`The mark names no table: ${mark.table}`);
  for (const [index, table] of copiedTables.entries()) {
    if (index < begun) continue;
    const from = index === begun ? mark.after : null;
    for await (const { rows, end, columns } of pages(source.read, table, from)) {
      await target.insertBatch([
        {
          table: table.name,
          columns: columns.map((column) => `"${column}"`),
          rows: rows.map((row) => keptIn(target, valuesOf(columns, row))),
        },
        markInsert({ ...mark, table: table.name, after: end }),
      ]);
      onRows(rows.length);
    }
  }
  const done: CopyMark = { ...mark, phase: 'bytes', table: blobTables[0], after: null };
  await target.insertBatch([markInsert(done)]);
  return done;
}

export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** The sum of the rows' hashes: the same rows give the same sum, regardless of how a database sorts them. */
  readonly digest: string;
}

const digestSpan = 1n << 256n;

function createDigest() {
  let rows = 0;
  let sum = 0n;
  return {
    add(values: readonly SqlValue[]): void {
      const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
      sum = (sum + BigInt(`0x${hash}`)) % digestSpan;
      rows += 1;
    },
    of: (table: string): TableDigest => ({ table, rows, digest: sum.toString(16).padStart(64, '0') }),
  };
}

/** Digests of the rows of the first engine, as `target` would store them. */
export async function digestTables(
  { read }: SqlEngine,
  target: SqlEngine,
  onRows: (count: number) => void,
): Promise<readonly TableDigest[]> {
  const instance = createDigest();
  for (const row of await instanceRows(read)) instance.add([row.name, row.value]);
  const digests = [instance.of('instance')];
  for (const table of copiedTables) {
    const digest = createDigest();
    for await (const { rows, columns } of pages(read, table, null)) {
      for (const row of rows) digest.add(keptIn(target, valuesOf(columns, row)));
      onRows(rows.length);
    }
    digests.push(digest.of(table.name));
  }
  return digests;
}
