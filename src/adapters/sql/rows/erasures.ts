/** Erasures as rows, and the transactions that erase. */
import { type Kysely, sql } from 'kysely';
import { type Erasure, erasedText, type PersonPlace, type PlaceCounts } from '../../../model/erasure.js';
import type { PersonKey } from '../../../model/person.js';
import type { ErasureStore } from '../../../ports/persons.js';
import { atomically, changesAny, type SqlContext } from '../context.js';
import type { ErasureRow, Schema } from '../schema.js';
import { deliveries, submissionState } from './deliveries.js';
import { ofRef, places } from './persons.js';
import { removeSubmissions } from './removal.js';
import { eraseSuppressed } from './suppressions.js';

/** A match in one of these erases the whole submission. */
const goesWhole: ReadonlySet<PersonPlace> = new Set(['files', 'confirmations']);
const listed = 100;
/** Ids per statement. */
const atOnce = 500;

const neverClaimed = { lease_token: null, lease_owner: null, reclaims: 0 } as const;

const toErasure = ({ sealer }: SqlContext, row: ErasureRow): Erasure => ({
  id: row.id,
  accountId: row.account_id,
  key: JSON.parse(row.key) as PersonKey,
  personHash: row.person_hash,
  q: row.q === null ? null : sealer.open(row.q),
  stage: row.stage,
  place: row.place,
  after: row.after,
  counts: JSON.parse(row.counts) as PlaceCounts,
  filesRemoved: row.files_removed,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

const toRow = ({ sealer }: SqlContext, erasure: Erasure): ErasureRow => ({
  id: erasure.id,
  account_id: erasure.accountId,
  key: JSON.stringify(erasure.key),
  person_hash: erasure.personHash,
  q: erasure.q === null ? null : sealer.seal(erasure.q),
  stage: erasure.stage,
  place: erasure.place,
  after: erasure.after,
  counts: JSON.stringify(erasure.counts),
  files_removed: erasure.filesRemoved,
  created_at: erasure.createdAt,
  finished_at: erasure.finishedAt,
});

/** Only from the expected position: of two processes that run the same step, one succeeds. Part of the step's transaction. */
async function progress(
  context: SqlContext,
  db: Kysely<Schema>,
  from: Erasure,
  to: Erasure,
): Promise<boolean> {
  const { q, stage, place, after, counts, finished_at } = toRow(context, to);
  return changesAny(
    db
      .updateTable('erasures')
      .set({ q, stage, place, after, counts, finished_at })
      .where('id', '=', from.id)
      .where('stage', '=', from.stage)
      .where('place', '=', from.place)
      .where('after', '=', from.after),
  );
}

const note = async (
  db: Kysely<Schema>,
  erasureId: string,
  kind: 'blob' | 'submission',
  refs: readonly string[],
): Promise<void> => {
  for (const ref of refs)
    await db
      .insertInto('erasure_items')
      .values({ erasure_id: erasureId, kind, ref })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
};

/**
 * Which of the ids have deliveries that are being sent: these rows are deleted once the attempt has ended. Deliveries that only
 * wait are no longer sent. The rows are locked until the transaction ends, so that none is claimed meanwhile.
 */
async function inFlight(
  { engine }: SqlContext,
  db: Kysely<Schema>,
  column: 'id' | 'submission_id',
  ids: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'submission_id', 'lease_token', 'next_attempt_at'])
    .where(column, 'in', ids)
    .orderBy('id')
    .$if(engine.rowLock !== '', (query) => query.forUpdate())
    .execute();
  const sent = rows.filter(
    ({ lease_token, next_attempt_at }) => lease_token !== null && (next_attempt_at ?? 0) > now,
  );
  return new Set(sent.map((row) => row[column]));
}

async function variantKeys(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('image_variants')
    .innerJoin('files', 'files.id', 'image_variants.file_id')
    .select('image_variants.blob_key')
    .where('files.submission_id', 'in', submissionIds)
    .execute();
  return rows.map((row) => row.blob_key);
}

interface Erased {
  readonly count: number;
  /** How many are still being sent. */
  readonly busy: number;
}

async function eraseSubmissions(
  context: SqlContext,
  db: Kysely<Schema>,
  erasure: Erasure,
  ids: readonly string[],
  now: number,
): Promise<Erased> {
  const busy = await inFlight(context, db, 'submission_id', ids, now);
  if (busy.size > 0)
    await db
      .deleteFrom('deliveries')
      .where('submission_id', 'in', [...busy])
      .where('lease_token', 'is', null)
      .execute();
  const free = ids.filter((id) => !busy.has(id));
  if (free.length === 0) return { count: 0, busy: busy.size };
  const variants = await variantKeys(db, free);
  const files = await removeSubmissions(context, db, free, now);
  await note(db, erasure.id, 'blob', [...files.map((file) => file.blobKey), ...variants]);
  await note(db, erasure.id, 'submission', free);
  return { count: free.length, busy: busy.size };
}

async function eraseDeliveries(
  context: SqlContext,
  db: Kysely<Schema>,
  ids: readonly string[],
  now: number,
): Promise<Erased> {
  const busy = await inFlight(context, db, 'id', ids, now);
  const free = ids.filter((id) => !busy.has(id));
  if (free.length === 0) return { count: 0, busy: busy.size };
  const gone = await db.deleteFrom('deliveries').where('id', 'in', free).returning('submission_id').execute();
  const submissions = gone.map((row) => row.submission_id);
  if (submissions.length > 0)
    await sql`UPDATE submissions SET webhook_state = ${sql.raw(submissionState)}
      WHERE id IN (${sql.join(submissions)})`.execute(db);
  return { count: gone.length, busy: busy.size };
}

async function submissionsOf(
  db: Kysely<Schema>,
  place: 'files' | 'confirmations',
  ids: readonly string[],
): Promise<readonly string[]> {
  if (place === 'confirmations') return ids;
  const rows = await db
    .selectFrom('files')
    .select('submission_id')
    .distinct()
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => row.submission_id);
}

/** Erases rows outside the person's submissions: the whole row, or only its content. */
async function eraseOthers(
  context: SqlContext,
  db: Kysely<Schema>,
  place: PersonPlace,
  refs: readonly string[],
): Promise<number> {
  const { table, key } = places[place];
  if (place === 'suppressed_addresses')
    return eraseSuppressed(
      context,
      db,
      refs.map((ref) => String(ofRef(ref)[0])),
    );
  let count = 0;
  for (const ref of refs) {
    const is = sql.join(
      ofRef(ref).map((value, index) => sql`${sql.ref(key[index] ?? '')} = ${value}`),
      sql` AND `,
    );
    const { numAffectedRows } = await (place === 'attempts'
      ? sql`UPDATE delivery_attempts SET response = NULL, request = NULL, response_headers = NULL,
            error = CASE WHEN error IS NULL THEN NULL ELSE ${erasedText} END WHERE ${is}`
      : place === 'destination_errors'
        ? sql`UPDATE destinations SET last_error = ${erasedText} WHERE ${is}`
        : sql`DELETE FROM ${sql.table(table)} WHERE ${is}`
    ).execute(db);
    count += Number(numAffectedRows ?? 0n);
  }
  return count;
}

async function eraseAt(
  context: SqlContext,
  db: Kysely<Schema>,
  erasure: Erasure,
  refs: readonly string[],
  now: number,
): Promise<Erased> {
  if (refs.length === 0) return { count: 0, busy: 0 };
  const ids = refs.map((ref) => String(ofRef(ref)[0]));
  switch (erasure.place) {
    case 'submissions':
      return eraseSubmissions(context, db, erasure, ids, now);
    case 'files':
    case 'confirmations':
      return eraseSubmissions(context, db, erasure, await submissionsOf(db, erasure.place, ids), now);
    case 'deliveries':
      return eraseDeliveries(context, db, ids, now);
    default:
      return { count: await eraseOthers(context, db, erasure.place, refs), busy: 0 };
  }
}

export const erasureStore = (context: SqlContext): ErasureStore => ({
  async create(erasure) {
    await context.write
      .insertInto('erasures')
      .values(toRow(context, erasure))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  async find(accountId, id) {
    const row = await context.read
      .selectFrom('erasures')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row ? toErasure(context, row) : null;
  },
  async list(accountId) {
    const rows = await context.read
      .selectFrom('erasures')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id', 'desc')
      .limit(listed)
      .execute();
    return rows.map((row) => toErasure(context, row));
  },
  async listRunning() {
    const rows = await context.read
      .selectFrom('erasures')
      .selectAll()
      .where('finished_at', 'is', null)
      .orderBy('id')
      .limit(listed)
      .execute();
    return rows.map((row) => toErasure(context, row));
  },
  async countRunning(accountId) {
    const row = await context.read
      .selectFrom('erasures')
      .select((e) => e.fn.countAll<number>().as('n'))
      .where('account_id', '=', accountId)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    return Number(row?.n ?? 0);
  },
  async known(ids) {
    const found = new Set<string>();
    for (let from = 0; from < ids.length; from += atOnce) {
      const some = ids.slice(from, from + atOnce);
      const rows = await context.read.selectFrom('erasures').select('id').where('id', 'in', some).execute();
      for (const row of rows) found.add(row.id);
    }
    return found;
  },

  eraseRows: (erasure, { refs, to, now }) =>
    context.engine.erasing(() =>
      atomically(context, async (db) => {
        const { count, busy } = await eraseAt(context, db, erasure, refs, now);
        const { counts } = erasure;
        const place = goesWhole.has(erasure.place) ? 'submissions' : erasure.place;
        const reached: Erasure = {
          ...erasure,
          ...(busy === 0 && to),
          counts: count === 0 ? counts : { ...counts, [place]: (counts[place] ?? 0) + count },
        };
        return (await progress(context, db, erasure, reached))
          ? { erasure: reached, isBusy: busy > 0 }
          : null;
      }),
    ),

  async enter(erasure, stage) {
    const to: Erasure = { ...erasure, stage, after: '' };
    return (await progress(context, context.write, erasure, to)) ? to : null;
  },

  finish: (erasure, notices, now) =>
    atomically(context, async (db) => {
      const to: Erasure = { ...erasure, stage: 'finished', after: '', q: null, finishedAt: now };
      if (!(await progress(context, db, erasure, to))) return null;
      await db.deleteFrom('erasure_items').where('erasure_id', '=', erasure.id).execute();
      // Like the mails of digests, these belong to no submission that could be deleted with them.
      for (const { isInFlight: _, ...notice } of notices)
        await db
          .insertInto('deliveries')
          .values({ ...deliveries.toRow(notice), ...neverClaimed, digest_id: erasure.id })
          .execute();
      return to;
    }),

  async listBlobs(id, limit) {
    const rows = await context.read
      .selectFrom('erasure_items')
      .select('ref')
      .where('erasure_id', '=', id)
      .where('kind', '=', 'blob')
      .limit(limit)
      .execute();
    return rows.map((row) => row.ref);
  },

  forgetBlobs: (id, keys) =>
    atomically(context, async (db) => {
      if (keys.length === 0) return;
      await db.updateTable('files').set({ blob_key: null }).where('blob_key', 'in', keys).execute();
      await db
        .deleteFrom('image_variants')
        .where('blob_key', 'in', keys)
        .where('removed_at', 'is not', null)
        .execute();
      const done = await db
        .deleteFrom('erasure_items')
        .where('erasure_id', '=', id)
        .where('kind', '=', 'blob')
        .where('ref', 'in', keys)
        .executeTakeFirst();
      await db
        .updateTable('erasures')
        .set((e) => ({ files_removed: e('files_removed', '+', Number(done.numDeletedRows)) }))
        .where('id', '=', id)
        .execute();
    }),

  async submissionIds(id) {
    const rows = await context.read
      .selectFrom('erasure_items')
      .select('ref')
      .where('erasure_id', '=', id)
      .where('kind', '=', 'submission')
      .orderBy('ref')
      .execute();
    return rows.map((row) => row.ref);
  },

  removeTraces: (spellings, signal) => context.engine.removeTraces(spellings, signal),

  expectedTraces: () => context.engine.expectedTraces(),
});
