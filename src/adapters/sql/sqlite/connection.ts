/** The request thread's side of one SQLite thread: sends requests, matches responses, translates errors. */
import { Worker } from 'node:worker_threads';
import { StoreConflict, StoreFull, StoreUnavailable } from '../../../ports/store.js';
import type { BatchResult, BatchStatement, SqlValue } from '../engine.js';
import type { Sifted, SiftRequest, ThreadAnswer, ThreadOptions, ThreadRequest } from './protocol.js';

export interface QueryAnswer {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

export interface ConnectionObserver {
  onFatal(error: Error): void;
  /** Called after each successful request. */
  onTurn?(tookMs: number): void;
}

type RequestBody = ThreadRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

interface Waiting {
  resolve(answer: QueryAnswer): void;
  reject(error: Error): void;
  onProgress: ((done: number, total: number) => void) | undefined;
}

// https://sqlite.org/rescode.html: the low byte is the primary code.
const primary = {
  busy: 5,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
} as const;
const foreignKey = 787;
const check = 275;
/** The index of the write-ahead log, which is also a file, could not grow. */
const shmSize = 4874;

const isFull = (code: number | null): boolean =>
  code !== null && ((code & 0xff) === primary.full || code === shmSize);

/**
 * Rows are short-lived in a thread. V8 would let the space for them grow to 48 MB, and under a light load use more and more of
 * it for half an hour: under mixed load the three threads used 115 MiB. With 12 MB the writer handled 4 % fewer submissions,
 * with 24 MB as many; readers are as fast with 12 MB.
 */
const youngMegabytes = { writer: 24, reader: 12 };

/** The file can no longer be trusted to take writes: going on might acknowledge what is not stored. */
const isFatal = (code: number | null): boolean =>
  code !== null && !isFull(code) && ((code & 0xff) === primary.ioerr || (code & 0xff) === primary.corrupt);

/** SQLite's two messages about a damaged file. They say neither which file nor what to do. */
const damageTexts = new Set(['database disk image is malformed', 'file is not a database']);

const withNextStep = (message: string, path: string): string =>
  damageTexts.has(message)
    ? `${path} is damaged (${message}). Leave it as it is, and restore a backup into a new DATA_DIR: inlet restore BACKUP`
    : message;

function translate(message: string, code: number | null): Error {
  if (isFull(code)) return new StoreFull(message);
  switch (code === null ? null : code & 0xff) {
    case primary.constraint:
      if (code === check) return new StoreConflict('limit');
      return new StoreConflict(code === foreignKey ? 'reference' : 'unique');
    case primary.busy:
    case primary.readonly:
    case primary.ioerr:
    case primary.corrupt:
    case primary.cantopen:
      return new StoreUnavailable(message);
    default:
      return new Error(`SQLite: ${message}`);
  }
}

export class SqliteConnection {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #busySince = 0;
  #ended: Error | null = null;
  /** True between opening and closing: a thread that ends in this time ends unexpectedly. */
  #isInUse = false;

  readonly #path: string;
  readonly #onFatal: (error: Error) => void;
  readonly #onTurn: (tookMs: number) => void;

  private constructor(worker: Worker, path: string, { onFatal, onTurn }: ConnectionObserver) {
    this.#worker = worker;
    this.#path = path;
    this.#onFatal = onFatal;
    this.#onTurn = onTurn ?? (() => {});
  }

  static async open(options: ThreadOptions, observer: ConnectionObserver): Promise<SqliteConnection> {
    const worker = new Worker(new URL('./sqlite-thread.js', import.meta.url), {
      workerData: options,
      resourceLimits: {
        maxYoungGenerationSizeMb: options.readOnly ? youngMegabytes.reader : youngMegabytes.writer,
      },
    });
    const connection = new SqliteConnection(worker, options.path, observer);
    const ready = connection.#expect(0, undefined);
    worker.on('message', (answer: ThreadAnswer) => connection.#settle(answer));
    worker.on('error', (error) =>
      connection.#fail(new StoreUnavailable(withNextStep(error.message, options.path))),
    );
    worker.on('exit', () => connection.#fail(new StoreUnavailable('The database thread has ended')));
    await ready;
    connection.#isInUse = true;
    return connection;
  }

  get pending(): number {
    return this.#waiting.size;
  }

  /** How long it has had something to do without a pause. */
  get busyMs(): number {
    return this.pending === 0 ? 0 : performance.now() - this.#busySince;
  }

  query(sql: string, params: readonly SqlValue[]): Promise<QueryAnswer> {
    return this.#send({ kind: 'query', sql, params });
  }

  insertBatch(statements: readonly BatchStatement[]): Promise<QueryAnswer> {
    return this.#send({ kind: 'batch', statements, isAnswered: false });
  }

  async runBatch(statements: readonly BatchStatement[]): Promise<readonly BatchResult[]> {
    const { rows } = await this.#send({ kind: 'batch', statements, isAnswered: true });
    return rows as readonly BatchResult[];
  }

  async sift(request: SiftRequest): Promise<Sifted> {
    const { rows } = await this.#send({ kind: 'sift', ...request });
    return rows[0] as Sifted;
  }

  /** Runs several statements. If they open a transaction, they must end it. */
  script(sql: string): Promise<QueryAnswer> {
    return this.#send({ kind: 'script', sql });
  }

  rollback(): Promise<QueryAnswer> {
    return this.#send({ kind: 'rollback' });
  }

  backup(path: string, onProgress: (done: number, total: number) => void): Promise<QueryAnswer> {
    return this.#send({ kind: 'backup', path }, onProgress);
  }

  async close(): Promise<void> {
    if (!this.#ended) {
      this.#isInUse = false;
      // The thread ends right after its response. Whichever of the two arrives first, the connection is closed.
      await this.#send({ kind: 'close' }).catch(() => {});
      this.#end(new StoreUnavailable('The database is closed'));
    }
    await this.#worker.terminate();
  }

  #send(body: RequestBody, onProgress?: Waiting['onProgress']): Promise<QueryAnswer> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.pending === 0) this.#busySince = performance.now();
    this.#lastId += 1;
    const answer = this.#expect(this.#lastId, onProgress);
    this.#worker.postMessage({ ...body, id: this.#lastId });
    return answer;
  }

  #expect(id: number, onProgress: Waiting['onProgress']): Promise<QueryAnswer> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, onProgress }));
  }

  #settle(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    if ('progress' in answer) {
      waiting.onProgress?.(answer.progress.done, answer.progress.total);
      return;
    }
    this.#waiting.delete(answer.id);
    if (!('error' in answer)) {
      this.#onTurn(answer.tookMs);
      waiting.resolve(answer);
      return;
    }
    const error = translate(withNextStep(answer.error.message, this.#path), answer.error.code);
    waiting.reject(error);
    if (isFatal(answer.error.code)) this.#fail(error);
  }

  /** From now on nothing is sent and nothing acknowledged. The owner of the connection ends the process. */
  #fail(error: Error): void {
    if (this.#ended) return;
    this.#end(error);
    if (this.#isInUse) this.#onFatal(error);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended);
    this.#waiting.clear();
  }
}
