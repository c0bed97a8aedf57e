/** Submissions as rows: the batch that commits them, the pages that show them. */
import { type Kysely, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import { allSeen } from '../../../model/observed-field.js';
import type { Quarantined } from '../../../model/quarantine.js';
import type { Reach } from '../../../model/reach.js';
import type { IdempotentResult, SubmissionFilter, SubmissionWithFiles } from '../../../model/submission.js';
import type {
  NewEntry,
  NewImported,
  NewSubmission,
  Page,
  SubmissionPage,
  SubmissionScope,
  SubmissionStore,
} from '../../../ports/store.js';
import { atomically, listText, runBatch, type SqlContext } from '../context.js';
import { type BatchInsert, insertText, maxPageBytes, type SqlEngine, type SqlValue } from '../engine.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { Schema, SubmissionRow } from '../schema.js';
import { isListed, pageConditions, rawPiece } from '../submission-filter.js';
import { capInserts, talliesInsert, totalsInsert } from './counting.js';
import { deliveries } from './deliveries.js';
import { fieldInsert } from './fields.js';
import { files } from './files.js';
import { optIns } from './opt-ins.js';
import { quarantinedColumns, quarantinedValues } from './quarantine.js';
import { removeSubmissions } from './removal.js';
import { listData } from './submission-data.js';
import { type ShownRow, shownText, withFiles } from './submission-rows.js';

const submissionColumns = [
  'id',
  'form_id',
  'project_id',
  'data',
  'ip',
  'user_agent',
  'submitted_from',
  'control_fields',
  'files_count',
  'webhook_state',
  'skipped_destinations',
  'created_at',
] as const;

type Written = Pick<NewSubmission, 'submission' | 'files' | 'deliveries' | 'skipped' | 'fields'>;

const submissionValues = ({ submission, files, deliveries, skipped }: Written): readonly SqlValue[] => [
  submission.id,
  submission.formId,
  // `projectOf` turns this into the form's project.
  submission.formId,
  submission.data,
  submission.metadata.ip,
  submission.metadata.userAgent,
  submission.metadata.submittedFrom,
  submission.metadata.controlFields,
  files.length,
  deliveries.length > 0 ? 'pending' : null,
  skipped.length > 0 ? listText(skipped) : null,
  submission.createdAt,
];

const idempotency = mapped<IdempotentResult>()('formId key bodyHash submissionId files expiresAt');

/**
 * The project that a form is in now, by the form's id: a commit may have read the form before it was moved. Empty for a form
 * that no longer exists; the reference to the form then fails.
 */
const projectOf = ({ sharedLock }: SqlEngine): string =>
  `COALESCE((SELECT forms.project_id FROM forms WHERE forms.id = ? ${sharedLock}), '')`;

/** Everything that the entries write, grouped by table: few statements with many rows. */
export function batchOf(
  all: readonly (NewEntry | NewImported)[],
  { slot, engine }: Pick<SqlContext, 'slot' | 'engine'>,
): readonly BatchInsert[] {
  const entries: NewSubmission[] = [];
  const unconfirmed: NewSubmission[] = [];
  const held: Quarantined[] = [];
  const imported: Written[] = [];
  for (const entry of all) {
    if ('quarantined' in entry) held.push(entry.quarantined);
    else if ('imported' in entry)
      imported.push({
        ...{ submission: entry.imported, files: entry.files, deliveries: [], skipped: [] },
        fields: allSeen(entry.imported, entry.files),
      });
    else if (entry.optIn !== null) unconfirmed.push(entry);
    else entries.push(entry);
  }
  const counted = imported.length === 0 ? entries : [...entries, ...imported];
  const sending = unconfirmed.length === 0 ? entries : [...entries, ...unconfirmed];
  const written = unconfirmed.length === 0 ? counted : [...counted, ...unconfirmed];
  const received = entries.map(({ submission }) => submission);
  const caps = capInserts(sending);
  const ofForm = { project_id: projectOf(engine) };
  const inserts: BatchInsert[] = [
    caps.hold,
    {
      table: 'submissions',
      columns: submissionColumns,
      rows: counted.map(submissionValues),
      derived: ofForm,
    },
    {
      table: 'submissions',
      columns: [...submissionColumns, 'folder'],
      rows: unconfirmed.map((entry) => [...submissionValues(entry), 'unconfirmed']),
      derived: ofForm,
    },
    totalsInsert(counted, slot),
    caps.count,
    talliesInsert({ received, quarantined: held }, slot),
    fieldInsert(written.flatMap((entry) => entry.fields)),
    {
      table: 'files',
      columns: files.columns,
      rows: written.flatMap((entry) =>
        entry.files.map((file) => files.values({ ...file, projectId: file.formId })),
      ),
      derived: ofForm,
    },
    {
      table: 'deliveries',
      columns: deliveries.columns,
      rows: sending.flatMap((entry) => entry.deliveries.map(deliveries.values)),
    },
    {
      table: 'opt_ins',
      columns: optIns.columns,
      rows: unconfirmed.flatMap(({ optIn }) => (optIn === null ? [] : [optIns.values(optIn)])),
    },
    { table: 'quarantined', columns: quarantinedColumns, rows: held.map(quarantinedValues) },
    {
      table: 'idempotency_keys',
      columns: idempotency.columns,
      rows: all.flatMap((entry) =>
        'idempotency' in entry && entry.idempotency ? [idempotency.values(entry.idempotency)] : [],
      ),
    },
  ];
  return inserts.filter((insert) => insert.rows.length > 0);
}

export const submissionStore = (context: SqlContext): SubmissionStore => {
  const { read, write } = context;
  return {
    async find(reach, id) {
      const [submission] = await findSome(read, reach, [id]);
      return submission ?? null;
    },
    findSome: (reach, ids) => findSome(read, reach, ids),
    list: (scope, filter, page) =>
      filter.words.length > 0
        ? listFound(context, scope, filter, page)
        : listByTime(read, scope, filter, page),
    listData: (scope, filter, page) => listData(read, scope, filter, page),
    async sources(formId, since, most) {
      const { rows } = await sql<{ submitted_from: string; count: number }>`
        SELECT submitted_from, count(*) AS count FROM (
          SELECT submitted_from FROM submissions WHERE form_id = ${formId} AND id >= ${lowestIdAt(since)}
            AND ${sql.raw(isListed)} ORDER BY id DESC LIMIT ${most}
        ) AS newest GROUP BY submitted_from`.execute(read);
      return rows.map(({ submitted_from, count }) => ({
        submittedFrom: submitted_from,
        count: Number(count),
      }));
    },
    async existing(formId, ids) {
      if (ids.length === 0) return new Set();
      const rows = await read
        .selectFrom('submissions')
        .select('id')
        .where('id', 'in', ids)
        .where('form_id', '=', formId)
        .execute();
      return new Set(rows.map((row) => row.id));
    },
    async findIdempotent(formId, key) {
      const row = await read
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('form_id', '=', formId)
        .where('key', '=', key)
        .executeTakeFirst();
      return row ? idempotency.toNoun(row) : null;
    },
    async dropExpiredIdempotent(formId, key, now) {
      await write
        .deleteFrom('idempotency_keys')
        .where('form_id', '=', formId)
        .where('key', '=', key)
        .where('expires_at', '<=', now)
        .execute();
    },
    async create(entry) {
      await runBatch(
        context,
        batchOf([entry], context).map((insert) => ({ sql: insertText(insert), rows: insert.rows })),
      );
    },
    deleteSome: (reach, ids, deletedAt) =>
      atomically(context, async (db) => {
        const rows = await db
          .selectFrom('submissions')
          .innerJoin('forms', 'forms.id', 'submissions.form_id')
          .innerJoin('projects', 'projects.id', 'forms.project_id')
          .select('submissions.id')
          .where('submissions.id', 'in', ids)
          .where(inReach(reach))
          .where('forms.deleted_at', 'is', null)
          .execute();
        const found = rows.map((row) => row.id);
        return { deleted: found.length, files: await removeSubmissions(context, db, found, deletedAt) };
      }),
    delete: (id, deletedAt) => atomically(context, (db) => removeSubmissions(context, db, [id], deletedAt)),
  };
};

async function findSome(
  db: Kysely<Schema>,
  reach: Reach,
  ids: readonly string[],
): Promise<readonly SubmissionWithFiles[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('submissions')
    .innerJoin('forms', 'forms.id', 'submissions.form_id')
    .innerJoin('projects', 'projects.id', 'forms.project_id')
    .selectAll('submissions')
    .where('submissions.id', 'in', ids)
    .where(inReach(reach))
    .where('forms.deleted_at', 'is', null)
    .execute();
  const places = new Map(ids.map((id, place) => [id, place]));
  const placeOf = ({ id }: SubmissionRow): number => places.get(id) ?? ids.length;
  return withFiles(
    db,
    rows.sort((a, b) => placeOf(a) - placeOf(b)),
  );
}

/** The query asked for one row more than the page has; or the page ended early because it was full. */
const hasMore = (rows: readonly { bytes_so_far: number }[], limit: number): boolean =>
  rows.length > limit || (rows.at(-1)?.bytes_so_far ?? 0) >= maxPageBytes;

/** The plain list walks one index from either end: the last page costs as much as the first. */
async function listByTime(
  db: Kysely<Schema>,
  scope: SubmissionScope,
  filter: SubmissionFilter,
  page: Page,
): Promise<SubmissionPage> {
  const { isOldestFirst } = filter;
  const direction = isOldestFirst ? sql`ASC` : sql`DESC`;
  const conditions = pageConditions(scope, filter, page.after, isOldestFirst).map((condition) =>
    rawPiece(condition),
  );
  // Finds the end of the page first, by the lengths alone: otherwise a page of large submissions, of which one or two fit, read a
  // hundred (130 ms with 500 kB each, 6 ms now).
  const { rows } = await sql<ShownRow & { bytes_so_far: number }>`
    SELECT ${sql.raw(shownText)}, page.bytes_so_far FROM (
      SELECT id, size, sum(size) OVER (ORDER BY id ${direction} ROWS UNBOUNDED PRECEDING) AS bytes_so_far
      FROM (
        SELECT id, octet_length(data) AS size FROM submissions
        WHERE ${sql.join(conditions, sql` AND `)}
        ORDER BY id ${direction} LIMIT ${page.limit + 1}
      ) AS found
    ) AS page CROSS JOIN submissions
    WHERE submissions.id = page.id AND page.bytes_so_far - page.size < ${maxPageBytes}
    ORDER BY page.id ${direction}`.execute(db);
  const shown = rows.slice(0, page.limit);
  return {
    items: await withFiles(db, shown),
    next: hasMore(rows, page.limit) ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** A search pages in the order of commits, which the index follows; its position is a number, not an id. */
async function listFound(
  { read, engine }: SqlContext,
  scope: SubmissionScope,
  filter: SubmissionFilter,
  page: Page,
): Promise<SubmissionPage> {
  const beforeSeq = page.after === null ? null : Number(page.after);
  const rows = await engine.search({ scope, filter, beforeSeq, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: await withFiles(read, shown),
    next: hasMore(rows, page.limit) && last ? String(last.seq) : null,
  };
}
