/**
 * The search index in PostgreSQL. We split and normalize words ourselves, by the same rule as the words of a search: the
 * server's own parsers and dictionaries differ between installations.
 */
import { type Kysely, sql } from 'kysely';
import type { PoolClient } from 'pg';
import { plainWords } from '../../../model/words.js';
import type { SubmissionScope } from '../../../ports/store.js';
import { type FoundRow, maxPageBytes, type SearchQuery } from '../engine.js';
import type { Schema } from '../schema.js';
import { inboxConditions, rawPiece } from '../submission-filter.js';

/** A step runs on this thread: 64 KiB take it about 3 ms. */
const stepRows = 100;
const stepBytes = 64 * 1024;
/** The server rejects words of more than 1 MiB in total, and a word of more than 2 kB. */
const maxVectorBytes = 1_000_000;
/**
 * Per submission, as many as in a thick book. 120,000 different words in a mebibyte took the server 0.8 to 3.9 s, so one
 * visitor within the rate limit could make all searches wait for the index.
 */
const maxWords = 10_000;
const maxWordLength = 500;

/** No word can equal one of these: words are letters and digits. */
const formLexeme = (id: string): string => `:f${id}`;
const projectLexeme = (id: string): string => `:p${id}`;

const quoted = (lexeme: string): string => `'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

const scopeText = (scope: SubmissionScope): string => {
  if (scope.kind === 'form') return quoted(formLexeme(scope.formId));
  const ids = scope.kind === 'project' ? [scope.projectId] : scope.projectIds;
  return `(${ids.map((id) => quoted(projectLexeme(id))).join(' | ')})`;
};

const queryText = (scope: SubmissionScope, words: readonly string[]): string =>
  [scopeText(scope), ...words.flatMap(plainWords).map((word) => `${quoted(word)}:*`)].join(' & ');

export async function search(
  db: Kysely<Schema>,
  { scope, filter, beforeSeq, limit }: SearchQuery,
): Promise<readonly FoundRow[]> {
  const inbox = inboxConditions(scope, filter).map((condition) => sql`AND ${rawPiece(condition)}`);
  const { rows } = await sql<FoundRow>`
    SELECT * FROM (
      SELECT *, sum(octet_length(data)) OVER (ORDER BY seq DESC) AS bytes_so_far FROM (
        SELECT submissions.* FROM submission_search JOIN submissions USING (seq)
        WHERE submission_search.words @@ ${queryText(scope, filter.words)}::tsquery
          AND seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER}
          AND submissions.form_id NOT IN (SELECT id FROM forms WHERE deleted_at IS NOT NULL)
          AND submissions.created_at >= ${filter.since ?? 0}
          AND submissions.created_at < ${filter.until ?? Number.MAX_SAFE_INTEGER}
          ${filter.webhookState === null ? sql`` : sql`AND submissions.webhook_state = ${filter.webhookState}`}
          ${inbox.length === 0 ? sql`` : sql.join(inbox, sql` `)}
        ORDER BY seq DESC LIMIT ${limit}
      ) AS found
    ) AS page WHERE bytes_so_far - octet_length(data) < ${maxPageBytes} ORDER BY seq DESC`.execute(db);
  return rows;
}

export async function moveToProject(
  tx: Kysely<Schema>,
  submissionIds: readonly string[],
  projectId: string,
): Promise<void> {
  // Locked first, as in `unindex`: a submission that is just being indexed is seen below.
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM submissions WHERE id IN (${sql.join(submissionIds)}) AND project_id <> ${projectId}
    ORDER BY seq FOR UPDATE`.execute(tx);
  if (rows.length === 0) return;
  const held = sql.join(rows.map(({ seq }) => seq));
  await sql`UPDATE submission_search
    SET words = ts_delete(submission_search.words, ${sql.lit(projectLexeme(''))} || submissions.project_id)
      || array_to_tsvector(ARRAY[${projectLexeme(projectId)}::text])
    FROM submissions
    WHERE submissions.seq = submission_search.seq AND submission_search.seq IN (${held})`.execute(tx);
  await sql`UPDATE submissions SET project_id = ${projectId} WHERE seq IN (${held})`.execute(tx);
}

/** The next step of the index adds them again. */
export async function reindex(tx: Kysely<Schema>, submissionIds: readonly string[]): Promise<void> {
  // Locked first, as in `unindex`.
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM submissions WHERE id IN (${sql.join(submissionIds)}) ORDER BY seq FOR UPDATE`.execute(tx);
  for (const { seq } of rows) {
    await sql`DELETE FROM submission_search WHERE seq = ${seq}`.execute(tx);
    await sql`INSERT INTO unindexed (seq) VALUES (${seq}) ON CONFLICT DO NOTHING`.execute(tx);
  }
}

interface UnindexedRow {
  readonly seq: number;
  readonly form_id: string;
  readonly project_id: string;
  readonly data: string;
}

/** The leaves of the data, as words. Data that is not JSON, because of damage, is used as it is. */
function wordsOf(data: string, most: number): readonly string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
    else if (Array.isArray(value)) value.forEach(collect);
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(collect);
  };
  try {
    collect(JSON.parse(data));
  } catch {
    texts.push(data);
  }
  const words = new Set<string>();
  let bytes = 0;
  for (const text of texts) {
    for (const word of plainWords(text)) {
      const cut = word.slice(0, maxWordLength).toWellFormed?.() ?? word.slice(0, maxWordLength);
      if (words.has(cut)) continue;
      bytes += Buffer.byteLength(cut);
      if (bytes > maxVectorBytes || words.size === most) return [...words];
      words.add(cut);
    }
  }
  return [...words];
}

const indexLock = 7_231_490_003;
const statementMs = 5_000;
/** For a submission whose words took longer than that. */
const fewWords = 5_000;

/**
 * Moves some submissions from the list to the index, in one transaction. One process at a time: a search that arrives
 * meanwhile must wait for what is being indexed. The submissions are locked: the words of a deleted one must not stay in
 * the index. Their size is queried in bytes, which are known without reading them.
 */
async function step(client: PoolClient, isCareful: boolean): Promise<boolean> {
  const most = isCareful ? fewWords : maxWords;
  try {
    await client.query(
      `BEGIN; SELECT pg_advisory_xact_lock(${indexLock}); SET LOCAL statement_timeout = ${statementMs}`,
    );
    const { rows } = await client.query<UnindexedRow>(
      `WITH next AS (
         SELECT seq FROM unindexed ORDER BY seq LIMIT ${isCareful ? 1 : stepRows}
       ), held AS (
         SELECT seq, form_id, project_id, data FROM submissions WHERE seq IN (SELECT seq FROM next)
         ORDER BY seq FOR KEY SHARE
       ), weighed AS (
         SELECT *, sum(octet_length(data)) OVER (ORDER BY seq) - octet_length(data) AS before FROM held
       ), gone AS (
         DELETE FROM unindexed WHERE seq IN (SELECT seq FROM next EXCEPT SELECT seq FROM weighed)
       )
       SELECT seq, form_id, project_id, data FROM weighed WHERE before < ${stepBytes}`,
    );
    if (rows.length > 0) {
      const vectors = rows.map(({ form_id, project_id, data }) => [
        formLexeme(form_id),
        projectLexeme(project_id),
        ...wordsOf(data, most),
      ]);
      // As JSON, because PostgreSQL has no arrays of arrays of different lengths.
      await client.query(
        `INSERT INTO submission_search (seq, words)
         SELECT seq, array_to_tsvector(ARRAY(SELECT json_array_elements_text(lexemes)))
         FROM unnest($1::bigint[], $2::json[]) AS one (seq, lexemes)
         ON CONFLICT (seq) DO UPDATE SET words = excluded.words`,
        [rows.map(({ seq }) => seq), vectors.map((lexemes) => JSON.stringify(lexemes))],
      );
      await client.query('DELETE FROM unindexed WHERE seq = ANY ($1::bigint[])', [
        rows.map(({ seq }) => seq),
      ]);
    }
    const left = await client.query('SELECT 1 FROM unindexed LIMIT 1');
    await client.query('COMMIT');
    return left.rows.length > 0;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

const isTooSlow = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014';

/**
 * After a step that timed out, the next one takes a single submission and only its first words: any visitor can send one
 * that is hard to index, and it must not prevent all others from being found.
 */
export function createIndexing(): (client: PoolClient) => Promise<boolean> {
  let isCareful = false;
  return async (client) => {
    try {
      const isMoreLeft = await step(client, isCareful);
      isCareful = false;
      return isMoreLeft;
    } catch (error) {
      isCareful = isTooSlow(error);
      throw error;
    }
  };
}
