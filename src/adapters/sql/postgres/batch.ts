/**
 * Many statements in one round trip. The client library sends a query only after the response to the previous one; here all
 * of them are sent together and closed by one Sync. That also makes them one transaction: the server rolls back all of them
 * when one fails (https://www.postgresql.org/docs/current/protocol-flow.html, "Pipelining").
 */
import type { ClientBase, Connection, Submittable } from 'pg';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { BatchResult, BatchStatement, SqlValue } from '../engine.js';

/** More messages follow before the server responds. The library writes each one immediately anyway. */
const more = true;

interface Field {
  readonly dataTypeID: number;
}

/** One statement with its rows of parameters, as it is sent to the server. */
interface Statement {
  readonly name: string;
  /** Null if the server has parsed the statement before. */
  readonly text: string | null;
  readonly givesRows: boolean;
  readonly rows: readonly (readonly SqlValue[])[];
}

interface Outcome {
  /** How many rows it changed. */
  readonly changes: number;
  /** Rows that it returned, by RETURNING or as a SELECT, as values in column order. */
  readonly rows: readonly (readonly SqlValue[])[];
}

/** One round trip, with one outcome for each row of parameters of each statement. */
class Run implements Submittable {
  readonly done: Promise<readonly Outcome[]>;
  readonly #outcomes: Outcome[] = [];
  #resolve = (_: readonly Outcome[]): void => {};
  #reject = (_: unknown): void => {};
  #fields: readonly Field[] = [];
  #rows: (readonly SqlValue[])[] = [];
  /** The library replaces it when its own query timeout is used, which is not the case here. */
  callback: unknown = () => {};

  constructor(readonly statements: readonly Statement[]) {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    try {
      for (const statement of this.statements) send(connection, statement);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields;
  }
  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#rows.push(this.#fields.map((field, index) => readValue(field, fields[index] ?? null)));
  }
  handleCommandComplete({ text }: { text: string }): void {
    // "INSERT 0 3", "UPDATE 1", "SELECT 5"
    const changes = text.startsWith('SELECT') ? 0 : Number(text.slice(text.lastIndexOf(' ') + 1));
    this.#outcomes.push({ changes: Number.isNaN(changes) ? 0 : changes, rows: this.#rows });
    this.#rows = [];
  }
  handleReadyForQuery(): void {
    this.#resolve(this.#outcomes);
  }
  handleError(error: unknown): void {
    this.#reject(error);
  }
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

function send(connection: Connection, { name, text, givesRows, rows }: Statement): void {
  if (text !== null) {
    // A round trip that failed later may have left a statement of this name behind.
    if (name !== '') connection.close({ type: 'S', name }, more);
    connection.parse({ name, text, types: [] }, more);
  }
  for (const row of rows) {
    connection.bind({ statement: name, values: row.map(wireValue) }, more);
    if (givesRows) connection.describe({ type: 'P', name: '' }, more);
    connection.execute({ portal: '' }, more);
  }
}

const int8 = 20;
const int4 = 23;
const numeric = 1700;

/** Integers become numbers: ours stay below 2^53. */
const readValue = ({ dataTypeID }: Field, value: string | null): SqlValue =>
  value !== null && (dataTypeID === int8 || dataTypeID === int4 || dataTypeID === numeric)
    ? Number(value)
    : value;

/** Replaces the one character that PostgreSQL cannot store. The response of an endpoint may well contain it. */
export const storable = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;

const wireValue = (value: SqlValue): string | null =>
  value === null ? null : typeof value === 'string' ? storable(value) : String(value);

/** The names of each connection's prepared statements, by their text. */
const prepared = new WeakMap<ClientBase, Map<string, string>>();
/** Derived from the text, so that a name never refers to another statement. */
const nameOf = (text: string): string => `inlet_${sha256Hex(text).slice(0, 32)}`;

/** `?` becomes `$1`, `$2`, …; none of our statements has a question mark elsewhere. */
export const numbered = (text: string): string => {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
};

const givesRows = (text: string): boolean => /^\s*(SELECT|WITH)\b|\bRETURNING\b/i.test(text);

/**
 * Runs all statements in one transaction. `isOurs`: the session is not a pooler's, so prepared statements can be reused.
 * Otherwise the server parses them each time.
 */
export async function runStatements(
  client: ClientBase,
  statements: readonly BatchStatement[],
  isOurs: boolean,
): Promise<readonly BatchResult[]> {
  const known = prepared.get(client) ?? new Map<string, string>();
  prepared.set(client, known);
  const fresh = new Map<string, string>();
  const sent = statements
    .filter(({ rows }) => rows.length > 0)
    .map(({ sql, rows }): Statement => {
      const name = isOurs ? (known.get(sql) ?? fresh.get(sql)) : undefined;
      if (name !== undefined) return { name, text: null, givesRows: givesRows(sql), rows };
      const text = numbered(sql);
      if (isOurs) fresh.set(sql, nameOf(text));
      return { name: fresh.get(sql) ?? '', text, givesRows: givesRows(sql), rows };
    });
  const outcomes = sent.length === 0 ? [] : await client.query(new Run(sent)).done;
  for (const [sql, name] of fresh) known.set(sql, name);
  let at = 0;
  return statements.map(({ rows }) => {
    at += rows.length;
    const mine = outcomes.slice(at - rows.length, at);
    return { changes: mine.map((one) => one.changes), rows: mine.map((one) => one.rows) };
  });
}
