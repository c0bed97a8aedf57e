/**
 * Many statements in one trip. The client library sends a query only when the one before is answered; here all of them go
 * out together and are closed by one Sync, which also makes them one transaction: the server undoes all of them when
 * one fails (https://www.postgresql.org/docs/current/protocol-flow.html, "Pipelining").
 */
import type { Client, Connection, Submittable } from 'pg';
import { sha256Hex } from '../../kernel/secrets.js';
import type { BatchStatement, SqlValue } from './engine.js';

/** The part of the library's connection that is used here; its types describe an older shape. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  close(message: { type: 'S'; name: string }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string }): void;
  sync(): void;
}

interface Field {
  readonly dataTypeID: number;
}

export interface StatementOutcome {
  /** Rows that it changed. */
  readonly changes: number;
  /** Rows that it gave back, by RETURNING or as a SELECT: their values in the order of the columns. */
  readonly rows: readonly (readonly SqlValue[])[];
}

abstract class Exchange implements Submittable {
  readonly done: Promise<void>;
  #resolve = (): void => {};
  #reject = (_: unknown): void => {};
  /** The library replaces it when its own limit of time is used, which is not so here. */
  callback: unknown = () => {};

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    try {
      this.send(wire);
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  protected abstract send(wire: Wire): void;

  handleReadyForQuery(): void {
    this.#resolve();
  }
  handleError(error: unknown): void {
    this.#reject(error);
  }
  handleRowDescription(_: { fields: readonly Field[] }): void {}
  handleDataRow(_: { fields: readonly (string | null)[] }): void {}
  handleCommandComplete(_: { text: string }): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

class Prepare extends Exchange {
  constructor(readonly statements: readonly { name: string; text: string }[]) {
    super();
  }
  protected send(wire: Wire): void {
    for (const statement of this.statements) {
      // One that was made by a trip that failed later is made again.
      wire.close({ type: 'S', name: statement.name });
      wire.parse(statement);
    }
  }
}

interface NamedStatement {
  readonly name: string;
  /** Of one that is made on the way, without a name. */
  readonly text?: string;
  readonly givesRows: boolean;
  readonly rows: readonly (readonly SqlValue[])[];
}

class Run extends Exchange {
  readonly outcomes: StatementOutcome[] = [];
  #fields: readonly Field[] = [];
  #rows: (readonly SqlValue[])[] = [];

  constructor(readonly statements: readonly NamedStatement[]) {
    super();
  }

  protected send(wire: Wire): void {
    for (const { name, text, givesRows, rows } of this.statements) {
      if (text !== undefined) wire.parse({ name, text });
      for (const row of rows) {
        wire.bind({ statement: name, values: row.map(wireValue) });
        if (givesRows) wire.describe({ type: 'P', name: '' });
        wire.execute({ portal: '' });
      }
    }
  }

  override handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields;
  }
  override handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#rows.push(this.#fields.map((field, index) => readValue(field, fields[index] ?? null)));
  }
  override handleCommandComplete({ text }: { text: string }): void {
    // "INSERT 0 3", "UPDATE 1", "SELECT 5"
    const changes = text.startsWith('SELECT') ? 0 : Number(text.slice(text.lastIndexOf(' ') + 1));
    this.outcomes.push({ changes: Number.isNaN(changes) ? 0 : changes, rows: this.#rows });
    this.#rows = [];
  }
}

const int8 = 20;
const int4 = 23;
const numeric = 1700;

/** As numbers: ours stay below 2^53. */
const readValue = ({ dataTypeID }: Field, value: string | null): SqlValue =>
  value !== null && (dataTypeID === int8 || dataTypeID === int4 || dataTypeID === numeric)
    ? Number(value)
    : value;

/** The one character that PostgreSQL cannot store, which a receiver's answer may well contain. */
export const storable = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;

const wireValue = (value: SqlValue): string | null =>
  value === null ? null : typeof value === 'string' ? storable(value) : String(value);

/** Of each connection: the statements it has, by their text. */
const prepared = new WeakMap<Client, Map<string, string>>();
/** By the text, so that a name never stands for another statement. */
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

/** All in one transaction; one outcome for each row of parameters of each statement. */
export async function runStatements(
  client: Client,
  statements: readonly BatchStatement[],
): Promise<readonly (readonly StatementOutcome[])[]> {
  const used = statements.filter((statement) => statement.rows.length > 0);
  return inOrder(statements, await runNamed(client, await prepareNamed(client, used)));
}

/**
 * The same for a connection whose session is not ours: nothing is prepared ahead, and the statements are read anew each
 * time. `first` is run before them, in the same transaction.
 */
export async function runUnnamed(
  client: Client,
  first: BatchStatement,
  statements: readonly BatchStatement[],
): Promise<readonly (readonly StatementOutcome[])[]> {
  const unnamed = [first, ...statements]
    .filter((statement) => statement.rows.length > 0)
    .map(({ sql, rows }) => ({ name: '', text: numbered(sql), givesRows: givesRows(sql), rows }));
  return inOrder([first, ...statements], await runNamed(client, unnamed)).slice(1);
}

async function prepareNamed(
  client: Client,
  used: readonly BatchStatement[],
): Promise<readonly NamedStatement[]> {
  let known = prepared.get(client);
  if (!known) {
    known = new Map();
    prepared.set(client, known);
  }
  const missing: { name: string; text: string; sql: string }[] = [];
  for (const { sql } of used) {
    if (known.has(sql) || missing.some((one) => one.sql === sql)) continue;
    const text = numbered(sql);
    missing.push({ name: nameOf(text), text, sql });
  }
  if (missing.length > 0) {
    await client.query(new Prepare(missing)).done;
    for (const { sql, name } of missing) known.set(sql, name);
  }
  return used.map(({ sql, rows }) => ({ name: known.get(sql) ?? '', givesRows: givesRows(sql), rows }));
}

async function runNamed(
  client: Client,
  statements: readonly NamedStatement[],
): Promise<readonly StatementOutcome[]> {
  const run = new Run(statements);
  if (statements.length > 0) await client.query(run).done;
  return run.outcomes;
}

function inOrder(
  statements: readonly BatchStatement[],
  outcomes: readonly StatementOutcome[],
): readonly (readonly StatementOutcome[])[] {
  let at = 0;
  return statements.map(({ rows }) => {
    at += rows.length;
    return outcomes.slice(at - rows.length, at);
  });
}
