/**
 * Imports the submissions of another service. Rows are committed in atomic batches. What was committed stays, and a repeated
 * import adds only what is missing, because a row's id is derived from the row. Nothing is delivered, mailed, announced or
 * counted as received.
 */

import type { ImportSource } from '../../contract/import.js';
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import { createPace } from '../../kernel/pace.js';
import type { Recorder } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import type { Form } from '../../model/form.js';
import { type NewImported, type Store, StoreConflict, StoreFull } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { StagedFile, Staging } from '../files/staging.js';
import { type Columns, ImportColumns, type ImportedColumn, noDate } from './columns.js';
import { type DateOrder, readDate } from './dates.js';
import { type FileFetcher, fetchFiles } from './fetch-files.js';
import { type PlannedRow, planRow, type RowRules, rowHash, rowId } from './plan-row.js';
import { type Format, readRows } from './read-rows.js';
import { ImportRejected } from './rejected.js';
import { isUnreadable, type ReadRow, type Rows } from './rows.js';
import { sampled } from './sample.js';
import { faultOfMapping, isOwnCsv, type Mapping } from './sources.js';

/** Bounds how long one transaction blocks the only writer: a few milliseconds. */
const batchRows = 250;
const batchText = 1024 * 1024;
/** The hashes of a million rows take 40 MB of memory. */
const maxRows = 1_000_000;
const maxErrors = 1_000;
const maxExamples = 3;
const dayMs = 24 * 60 * 60 * 1000;

export interface ImportRequest {
  readonly who: Recorder;
  readonly form: Form;
  readonly source: AsyncIterable<Uint8Array>;
  readonly format: Format;
  /** null: any other service. */
  readonly from: ImportSource | null;
  readonly mapping: Mapping;
  /** null: taken from the dates. */
  readonly order: DateOrder | null;
  /** A date in any format, for rows that have none. */
  readonly defaultDate: string | null;
  readonly includesSpam: boolean;
  /** null: files are not fetched. */
  readonly files: FileFetcher | null;
  readonly isDryRun: boolean;
  onProgress?(report: ImportReport): void;
  onRejected?(row: RejectedRow, columns: readonly string[] | null): void;
  /** Returns false once the client has disconnected; the import then stops. */
  isWanted?(): boolean;
}

export interface RejectedRow {
  readonly line: number;
  readonly reason: string;
  readonly original: readonly string[];
}

export interface ImportExample {
  readonly at: number;
  readonly data: string;
}

export interface ImportReport {
  rows: number;
  imported: number;
  alreadyThere: number;
  rejected: number;
  /** Marked as spam by the source, and left out. */
  spam: number;
  /** Older than the form's retention: upkeep deletes them again. */
  expiring: number;
  filesStored: number;
  filesFailed: number;
  readonly columns: ImportedColumn[];
  readonly examples: ImportExample[];
  /** The first of them. */
  readonly errors: { readonly line: number; readonly reason: string }[];
  /** The first of them: files that could not be stored. */
  readonly fileErrors: { readonly line: number; readonly reason: string }[];
}

export interface ImportService {
  /** Throws `ImportRejected` if the file cannot be imported as a whole. */
  run(request: ImportRequest): Promise<ImportReport>;
}

export const createImportService = (deps: {
  store: Store;
  staging: Staging;
  clock: Clock;
}): ImportService => ({
  run: (request) => new Import(deps, request).run(),
});

interface Ready {
  readonly id: string;
  readonly row: PlannedRow;
}

class Import {
  readonly #store: Store;
  readonly #staging: Staging;
  readonly #now: number;
  readonly #request: ImportRequest;
  /** How often a row was seen, by its hash. */
  readonly #seen = new Map<number, number>();
  readonly #columns: ImportColumns;
  #batch: Ready[] = [];
  #batchLength = 0;
  readonly #report: ImportReport = {
    rows: 0,
    imported: 0,
    alreadyThere: 0,
    rejected: 0,
    spam: 0,
    expiring: 0,
    filesStored: 0,
    filesFailed: 0,
    columns: [],
    examples: [],
    errors: [],
    fileErrors: [],
  };

  constructor(
    { store, staging, clock }: { store: Store; staging: Staging; clock: Clock },
    request: ImportRequest,
  ) {
    this.#store = store;
    this.#staging = staging;
    this.#now = clock.now();
    this.#request = request;
    this.#columns = new ImportColumns(request.from, request.mapping, (column) =>
      this.#report.columns.push(column),
    );
  }

  async run(): Promise<ImportReport> {
    const fault = faultOfMapping(this.#request.mapping);
    if (fault !== null) throw new ImportRejected(fault);
    const defaultAt = this.#defaultAt();
    const read = await readRows(this.#request.source, this.#request.format);
    const header = read.columns?.map((name) => ({ name, isMeta: false })) ?? null;
    if (header) {
      this.#columns.requireMapped(header);
      this.#requireDate([header], defaultAt);
    }
    const pace = createPace();
    const { sample, rest } = await sampled(read.rows, pace);
    const rules: RowRules = {
      order: this.#request.order ?? this.#columns.orderIn(sample),
      defaultAt,
      now: this.#now,
      isOwnCsv: header !== null && isOwnCsv(header),
    };
    if (!header) {
      const shapes = sample.flatMap((row) => (isUnreadable(row) ? [] : [row.cells]));
      this.#requireDate(shapes, defaultAt);
    }
    for await (const row of rest) {
      if (this.#request.isWanted?.() === false) break;
      if (pace.isOver()) await pace.rest();
      this.#take(row, read, rules);
      if (this.#batch.length >= batchRows || this.#batchLength >= batchText) await this.#flush();
    }
    await this.#flush();
    return this.#report;
  }

  #defaultAt(): number | null {
    const { defaultDate, order } = this.#request;
    if (defaultDate === null) return null;
    const date = readDate(defaultDate, order, this.#now);
    if ('reason' in date) throw new ImportRejected(`The default date: ${date.reason}.`);
    return date.at;
  }

  /** Throws when there is no date column, before anything is written. A dry run shows the columns, so that one can be chosen. */
  #requireDate(shapes: readonly Columns[], defaultAt: number | null): void {
    const [first] = shapes;
    const hasDate = shapes.some((columns) => this.#columns.hasDate(columns));
    if (this.#request.isDryRun || !first || defaultAt !== null || hasDate) return;
    throw new ImportRejected(noDate(first));
  }

  #take(row: ReadRow, { columns }: Rows, rules: RowRules): void {
    const report = this.#report;
    if (report.rows === maxRows) {
      throw new ImportRejected(
        `The file has more than ${maxRows.toLocaleString('en')} rows. The first ${maxRows.toLocaleString('en')} were read; split the file and import the rest.`,
      );
    }
    report.rows += 1;
    if (isUnreadable(row)) {
      this.#reject(row, columns);
      return;
    }
    const planned = planRow(row, this.#columns.usesOf(row.cells), rules);
    if ('reason' in planned) {
      this.#reject({ ...row, reason: planned.reason }, columns);
      return;
    }
    if (planned.isSpam && !this.#request.includesSpam) {
      report.spam += 1;
      return;
    }
    const { id, before } = this.#idOf(planned);
    if (planned.sourceId !== null && before > 0) {
      report.alreadyThere += 1;
      return;
    }
    if (report.examples.length < maxExamples) report.examples.push({ at: planned.at, data: planned.data });
    this.#batch.push({ id, row: planned });
    this.#batchLength += planned.data.length;
  }

  #idOf(row: PlannedRow): { id: string; before: number } {
    const hash = rowHash(this.#request.form.id, row);
    const key = hash.readUIntBE(0, 6);
    const before = this.#seen.get(key) ?? 0;
    this.#seen.set(key, before + 1);
    return { id: rowId(hash, row.at, before), before };
  }

  #reject(row: RejectedRow, columns: readonly string[] | null): void {
    this.#report.rejected += 1;
    const { line, reason } = row;
    if (this.#report.errors.length < maxErrors) this.#report.errors.push({ line, reason });
    this.#request.onRejected?.({ line, reason, original: row.original }, columns);
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#batchLength = 0;
    if (batch.length > 0) await this.#commit(batch);
    this.#request.onProgress?.(this.#report);
  }

  async #commit(batch: readonly Ready[]): Promise<void> {
    const { form, isDryRun } = this.#request;
    const report = this.#report;
    const fresh = await this.#missing(batch);
    report.alreadyThere += batch.length - fresh.length;
    const expiresBefore = form.retentionDays === null ? 0 : this.#now - form.retentionDays * dayMs;
    report.expiring += fresh.filter(({ row }) => row.at < expiresBefore).length;
    if (isDryRun) {
      report.imported += fresh.length;
      return;
    }
    const staged = await this.#fetched(fresh);
    try {
      await this.#write(fresh, staged);
    } catch (error) {
      // Only these errors mean that nothing was written. Otherwise the files stay, and upkeep sweeps orphans.
      const isConflict = error instanceof StoreConflict;
      if (error instanceof StoreFull || (isConflict && error.rule === 'reference')) {
        await this.#staging.discard([...staged.values()].flat());
      }
      if (!isConflict) throw error;
      if (error.rule === 'reference') throw refuse.formNotFound();
      // Another import of the same file is running: rows that exist now are its rows.
      const left = await this.#missing(fresh);
      const theirs = fresh.filter((one) => !left.includes(one));
      await this.#staging.discard(theirs.flatMap(({ id }) => staged.get(id) ?? []));
      report.alreadyThere += theirs.length;
      await this.#write(left, staged);
    }
  }

  async #missing(batch: readonly Ready[]): Promise<readonly Ready[]> {
    const ids = batch.flatMap(({ id, row }) => [id, ...ownId(row)]);
    const there = await this.#store.submissions.existing(this.#request.form.id, ids);
    return batch.filter(({ id, row }) => ![id, ...ownId(row)].some((one) => there.has(one)));
  }

  async #fetched(fresh: readonly Ready[]): Promise<ReadonlyMap<string, readonly StagedFile[]>> {
    const { files } = this.#request;
    const wanting = fresh.filter(({ row }) => row.links.length > 0);
    if (files === null || wanting.length === 0) return new Map();
    return fetchFiles({
      ...{ files, staging: this.#staging, rows: wanting },
      onStored: () => {
        this.#report.filesStored += 1;
      },
      onFailed: (line, reason) => {
        this.#report.filesFailed += 1;
        if (this.#report.fileErrors.length < maxErrors) this.#report.fileErrors.push({ line, reason });
      },
      onStep: () => this.#request.onProgress?.(this.#report),
    });
  }

  async #write(rows: readonly Ready[], staged: ReadonlyMap<string, readonly StagedFile[]>): Promise<void> {
    if (rows.length === 0) return;
    const { form, who } = this.#request;
    const { accountId } = who;
    // Before the first row, so that the import is in the audit log however it ends.
    if (this.#report.imported === 0)
      await this.#store.tx(async (tx) =>
        record(tx, who, {
          ...{ action: 'submissions.imported', object: { kind: 'form', id: form.id, name: form.name } },
          after: { from: this.#request.from },
        }),
      );
    const entries = rows.map(({ id, row }): NewImported => {
      const files = (staged.get(id) ?? []).map(
        (file): StoredFile => ({
          ...file,
          accountId,
          projectId: form.projectId,
          formId: form.id,
          submissionId: id,
          uploadedAt: row.at,
          deletedAt: null,
        }),
      );
      return {
        imported: {
          id,
          formId: form.id,
          projectId: form.projectId,
          data: files.length === 0 ? row.data : row.dataWithout(storedFields(row, files)),
          metadata: row.metadata,
          createdAt: row.at,
        },
        files,
      };
    });
    await this.#store.commit(entries);
    this.#report.imported += rows.length;
  }
}

/** Fields all of whose files are stored; the others keep their links. */
function storedFields({ links }: PlannedRow, files: readonly StoredFile[]): ReadonlySet<string> {
  const left = new Map<string, number>();
  for (const { field } of links) left.set(field, (left.get(field) ?? 0) + 1);
  for (const { fieldName } of files) left.set(fieldName, (left.get(fieldName) ?? 0) - 1);
  return new Set([...left].filter(([, count]) => count === 0).map(([field]) => field));
}

/** The id of a row of our own export: the submission may still be in this form. */
const ownId = ({ sourceId }: PlannedRow): readonly string[] =>
  sourceId !== null && isUuid(sourceId) ? [sourceId] : [];
