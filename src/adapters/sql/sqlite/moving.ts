/**
 * Moves submissions to another project. The index cannot return what it contains for a row, so a row that changes is removed from
 * it and added again.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../schema.js';
import { indexedWords, maxStepBytes, piecesOf, putPieces, wordBytes } from './pieces.js';
import { indexedColumns, mergeText } from './search-index.js';

const seqsOf = (submissionIds: readonly string[]): RawBuilder<unknown> =>
  sql`SELECT seq FROM submissions WHERE id IN (${sql.join(submissionIds)})`;

export async function unindex(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void> {
  const whole = seqsOf(submissionIds);
  await sql`DELETE FROM submission_search WHERE rowid IN (${whole})`.execute(db);
  await sql`DELETE FROM submission_search_pieces WHERE rowid IN (${piecesOf(whole)})`.execute(db);
}

export async function moveToProject(
  db: Kysely<Schema>,
  submissionIds: readonly string[],
  projectId: string,
): Promise<void> {
  await db
    .updateTable('submissions')
    .set({ project_id: projectId })
    .where('id', 'in', submissionIds)
    .execute();
  await reindex(db, submissionIds);
}

export async function reindex(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void> {
  await unindex(db, submissionIds);
  const own = sql`FROM submissions WHERE seq IN (${seqsOf(submissionIds)})
    AND seq <= (SELECT indexed_seq FROM search_progress)`;
  const isLarge = sql`octet_length(data) > ${sql.lit(maxStepBytes)}`;
  await sql`INSERT INTO submission_search (rowid, scope, words)
    SELECT seq, ${sql.raw(indexedColumns)} ${own} AND NOT ${isLarge}`.execute(db);
  const large = await sql<{ seq: number; bytes: Uint8Array | null }>`
    SELECT seq, ${sql.raw(wordBytes)} AS bytes ${own} AND ${isLarge}`.execute(db);
  for (const { seq, bytes } of large.rows) await putPieces(db, seq, indexedWords(bytes));
  // A submission that is just being indexed starts over.
  await sql`UPDATE search_progress SET partial_seq = 0
    WHERE partial_seq > indexed_seq AND partial_seq IN (${seqsOf(submissionIds)})`.execute(db);
  await sql.raw(mergeText('submission_search')).execute(db);
  if (large.rows.length > 0) await sql.raw(mergeText('submission_search_pieces')).execute(db);
}
