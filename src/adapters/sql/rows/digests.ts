/** Digests as rows: see ports/digests.ts. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { digestQueue, queues } from '../../../model/delivery.js';
import { type FieldLabels, fieldLabels } from '../../../model/field-labels.js';
import type {
  DigestContent,
  DigestedForm,
  DigestedSubmission,
  DigestStore,
  DueDigest,
  NewDigest,
} from '../../../ports/digests.js';
import { atomically, type SqlContext, toRules } from '../context.js';
import type { Schema } from '../schema.js';
import { submissionState } from './deliveries.js';
import { pausedQueue } from './pausing.js';

/** Per transaction, which commits wait for. The rest goes into a second digest. */
const mostInDigest = 5_000;
/** Per submission: a digest shows its first fields only. */
const maxDataBytes = 64 * 1024;

// Written like the condition of the partial index.
const waits = sql.raw(`state = 'pending' AND queue = ${digestQueue}`);
const isLiving = sql`form_id NOT IN (SELECT forms.id FROM forms WHERE forms.deleted_at IS NOT NULL)`;

interface Taken {
  readonly submission_id: string;
  readonly form_id: string;
  readonly project_id: string;
  readonly destination_id: string;
  readonly target: string;
}

export const digestStore = (context: SqlContext): DigestStore => ({
  async listDue(now, most) {
    const { rows } = await sql<DueDigest>`
      SELECT form_id AS "formId", project_id AS "projectId", destination_id AS "destinationId", kind, target, url, lane
      FROM deliveries WHERE id IN (
        SELECT max(id) FROM deliveries WHERE ${waits} AND next_attempt_at <= ${now} AND ${isLiving}
        GROUP BY lane LIMIT ${most})`.execute(context.read);
    return rows;
  },

  make: (digest) =>
    atomically(context, async (db) => {
      const taken = await take(db, digest, sql`state = 'delivered', digest_id = ${digest.id}`);
      const newest = taken.at(-1);
      if (!newest) return 0;
      await sql`UPDATE deliveries SET next_attempt_at = ${digest.nextAt} WHERE lane = ${digest.lane}
        AND state = 'pending' AND queue = ${pausedQueue(digestQueue)} AND next_attempt_at <= ${digest.now}`.execute(
        db,
      );
      await sql`UPDATE submissions SET webhook_state = ${sql.raw(submissionState)} WHERE id IN (
        SELECT submission_id FROM deliveries WHERE digest_id = ${digest.id})`.execute(db);
      await insertMails(db, digest, newest);
      return taken.length;
    }),

  release: (lane, now) =>
    atomically(context, async (db) => {
      await sql`UPDATE deliveries SET queue = ${queues.first}
        WHERE lane = ${lane} AND ${waits} AND next_attempt_at <= ${now}`.execute(db);
    }),

  content: (digestId, most) => contentOf(context.read, digestId, most),
});

/** Takes the deliveries that are due now and returns them, newest last. A second process finds them taken. */
async function take(
  db: Kysely<Schema>,
  { lane, now }: NewDigest,
  change: RawBuilder<unknown>,
): Promise<readonly Taken[]> {
  const { rows } = await sql<Taken>`
    UPDATE deliveries SET ${change}, next_attempt_at = NULL, queue = ${queues.later} WHERE ${waits} AND id IN (
      SELECT id FROM deliveries WHERE lane = ${lane} AND ${waits} AND next_attempt_at <= ${now} AND ${isLiving}
      ORDER BY next_attempt_at, id LIMIT ${mostInDigest})
    RETURNING submission_id, form_id, project_id, destination_id, target`.execute(db);
  return [...rows].sort((a, b) => (a.submission_id < b.submission_id ? -1 : 1));
}

async function insertMails(
  db: Kysely<Schema>,
  { id, lane, now, recipients }: NewDigest,
  newest: Taken,
): Promise<void> {
  const { form_id, project_id, destination_id, target } = newest;
  for (const { deliveryId, address } of recipients)
    await sql`INSERT INTO deliveries (id, submission_id, digest_id, form_id, project_id, destination_id, kind, target, lane,
        url, body, state, next_attempt_at, created_at, queue)
      VALUES (${deliveryId}, ${id}, ${id}, ${form_id}, ${project_id}, ${destination_id}, 'email', ${target}, ${lane},
        ${address}, ${JSON.stringify({ digest: id })}, 'pending', ${now}, ${now}, ${queues.first})`.execute(
      db,
    );
}

interface CountedForm {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly account: string;
  readonly n: number;
  /** When its first submission was received, and its last. */
  readonly a: number;
  readonly z: number;
}

type NewestRow = Omit<DigestedSubmission, 'labels'> & { readonly formId: string };

const noLabels: FieldLabels = new Map();

const formOf = ({ id, name, n }: CountedForm): DigestedForm => ({ id, name, count: Number(n) });

async function contentOf(db: Kysely<Schema>, digestId: string, most: number): Promise<DigestContent | null> {
  // The join leaves out the mails of the digest, which have no submission.
  const from = sql`FROM deliveries JOIN submissions ON submissions.id = deliveries.submission_id
      AND submissions.folder NOT IN ('spam', 'trash')
    JOIN forms ON forms.id = submissions.form_id AND forms.deleted_at IS NULL
    JOIN projects ON projects.id = forms.project_id
    WHERE deliveries.digest_id = ${digestId}`;
  const counted = await sql<CountedForm>`
    SELECT forms.id, forms.name, projects.name AS project, projects.account_id AS account, count(*) AS n,
      min(submissions.created_at) AS a, max(submissions.created_at) AS z
    ${from} GROUP BY forms.id, forms.name, projects.name, projects.account_id ORDER BY n DESC, forms.id`.execute(
    db,
  );
  const [first, ...others] = counted.rows;
  if (!first) return null;
  const { rows } = await sql<NewestRow>`
    SELECT submissions.id, submissions.form_id AS "formId", forms.name AS "formName", submissions.created_at AS "createdAt",
      CASE WHEN octet_length(submissions.data) <= ${maxDataBytes} THEN submissions.data END AS data
    ${from} ORDER BY submissions.id DESC LIMIT ${most}`.execute(db);
  const labels = await labelsOf(db, new Set(rows.map(({ formId }) => formId)));
  return {
    forms: [formOf(first), ...others.map(formOf)],
    projectName: first.project,
    accountId: first.account,
    firstAt: Math.min(...counted.rows.map(({ a }) => a)),
    lastAt: Math.max(...counted.rows.map(({ z }) => z)),
    newest: rows.map(({ formId, ...row }) => ({ ...row, labels: labels.get(formId) ?? noLabels })),
  };
}

async function labelsOf(
  db: Kysely<Schema>,
  formIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, FieldLabels>> {
  const rows = await db
    .selectFrom('forms')
    .select(['id', 'fields'])
    .where('id', 'in', [...formIds])
    .execute();
  return new Map(rows.map(({ id, fields }) => [id, fieldLabels(toRules(fields))]));
}
