/** /api/v1/forms/{id}/import */
import type { FastifyInstance } from 'fastify';
import { ImportFile, ImportQuery, ImportReport } from '../../contract/import.js';
import { byId } from '../../contract/shapes.js';
import type { FormService } from '../../domain/forms/service.js';
import type { FileFetcher } from '../../domain/import/fetch-files.js';
import type { Format } from '../../domain/import/read-rows.js';
import { ImportRejected } from '../../domain/import/rejected.js';
import { rejectsHeader, rejectsLine } from '../../domain/import/rejects.js';
import type { ImportService, RejectedRow, ImportReport as Report } from '../../domain/import/service.js';
import { isoTime } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import { plans } from '../../model/plans.js';
import { streamedBody } from '../management-body.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

const maxFileBytes = 256 * 1024 * 1024;
/** The length of the rejected rows in the response. The last row may exceed it by a mebibyte. */
const maxRejectedLength = 4 * 1024 * 1024;
/** Of an account at a time: the dashboard makes one after each change of the columns, and cancels the one before. */
const maxDryRuns = 4;

const noUploads = 'The plan has no file uploads: files were not downloaded, their links stay in the data.';

/** From the content type. Clients that send a file from disk often send one that does not help. */
function formatOf(type: string | undefined): Format {
  const media = type?.split(';', 1)[0]?.trim().toLowerCase();
  if (media === 'text/csv') return 'csv';
  return media === 'application/json' || media === 'application/x-ndjson' ? 'json' : 'detect';
}

function mappingOf({ map, date }: ImportQuery): ReadonlyMap<string, string> {
  const mapping = new Map<string, string>();
  if (map !== undefined) {
    for (const [column, target] of entriesOf(map)) mapping.set(column, target);
  }
  if (date !== undefined) mapping.set(date, '@date');
  return mapping;
}

function entriesOf(text: string): readonly (readonly [string, string])[] {
  const wrong = refuse.invalidBody([
    { path: 'map', message: 'must be a JSON object whose values are texts' },
  ]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
  return Object.entries(value).map(([column, target]: [string, unknown]) => {
    if (typeof target !== 'string') throw wrong;
    return [column, target] as const;
  });
}

const warningsOf = (report: Report, { retentionDays }: Form, lacksUploads: boolean): string[] => [
  ...(lacksUploads ? [noUploads] : []),
  ...(report.expiring > 0
    ? [
        `${report.expiring} of the submissions are older than the ${retentionDays} days that this form keeps submissions. They are deleted soon unless you change retention_days.`,
      ]
    : []),
];

/** Formatted as they arrive: a file can have a million of them. */
class RejectedRows {
  #csv = '';

  readonly add = (row: RejectedRow, columns: readonly string[] | null): void => {
    if (this.#csv === '') this.#csv = rejectsHeader(columns);
    if (this.#csv.length < maxRejectedLength) this.#csv += rejectsLine(row);
  };

  get csv(): string | null {
    return this.#csv === '' ? null : this.#csv;
  }
}

function toReport(
  report: Report,
  rejectedCsv: string | null,
  isDryRun: boolean,
  warnings: string[],
): ImportReport {
  const { rows, imported, alreadyThere, rejected, spam, expiring, filesStored, filesFailed } = report;
  return {
    ...{ dry_run: isDryRun, rows, imported, already_there: alreadyThere, rejected, spam, expiring },
    ...{ files_stored: filesStored, files_failed: filesFailed },
    columns: [...report.columns],
    examples: report.examples.map(({ at, data }) => ({ created_at: isoTime(at), data: JSON.parse(data) })),
    errors: [...report.errors],
    rejected_csv: rejectedCsv,
    file_errors: [...report.fileErrors],
    warnings,
  };
}

export function importRoutes(
  app: FastifyInstance,
  deps: { gate: Gate; forms: FormService; imports: ImportService; fileFetcher: FileFetcher },
): void {
  const { gate, forms, imports, fileFetcher } = deps;
  const add = routesOf(app, 'Submissions');
  /** Running imports by account, in this process. Each dry run may take 50 MB of memory for what it has read. */
  const imported = new Slots(Number.POSITIVE_INFINITY, 1);
  const tried = new Slots(Number.POSITIVE_INFINITY, maxDryRuns);

  add({
    method: 'POST',
    path: '/forms/:id/import',
    operationId: 'importSubmissions',
    summary: 'Import submissions from the export of another service, or from any CSV or JSON file',
    params: byId('The id or the public_id of the form.'),
    query: ImportQuery,
    streamedBody: ImportFile,
    responses: { 200: ImportReport },
    errors: [409],
    ...gate.may('submissions.manage'),
    async handle({ who, params, query, request, reply }) {
      const mapping = mappingOf(query);
      const { form } = await forms.get(who, params.id);
      const isDryRun = query.dry_run === '1';
      const free = (isDryRun ? tried : imported).take(who.accountId);
      if (free === null) throw refuse.importRunning();
      const lacksUploads = query.files === '1' && !plans[who.plan].fileUploads;
      const rejected = new RejectedRows();
      try {
        const report = await imports.run({
          ...{ who, form, mapping, isDryRun },
          source: streamedBody(request.raw, maxFileBytes),
          format: formatOf(request.headers['content-type']),
          from: query.source ?? null,
          order: query.date_order ?? null,
          defaultDate: query.default_date ?? null,
          includesSpam: query.include_spam === '1',
          files: query.files === '1' && !lacksUploads ? fileFetcher : null,
          onRejected: rejected.add,
          isWanted: () => !reply.raw.destroyed,
        });
        return toReport(report, rejected.csv, isDryRun, warningsOf(report, form, lacksUploads));
      } catch (error) {
        throw error instanceof ImportRejected ? refuse.importRejected(error.message) : error;
      } finally {
        free();
      }
    },
  });
}
