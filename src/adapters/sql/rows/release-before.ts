/**
 * Takes in what processes of the previous release have queued during a rolling upgrade: mails in a table of their own, and
 * deliveries in queues that only those processes read, see `queues`.
 */
import { type Kysely, type SqlBool, sql } from 'kysely';
import { type DeliveryState, laneOf, mailOrigin, queues } from '../../../model/delivery.js';
import { builtInId } from '../../../model/destination.js';
import { atomically, type SqlContext } from '../context.js';
import type { MailRow, Schema } from '../schema.js';
import { deliveries, submissionState } from './deliveries.js';

/** Of each kind, per step. */
const mostTaken = 500;

/** Not being sent: not claimed, or the lease has expired. */
const isFree = (now: number) => sql<SqlBool>`(lease_token IS NULL OR next_attempt_at <= ${now})`;
/** The condition of the index `deliveries_of_before`. */
const isOfBefore = sql<SqlBool>`state = 'pending' AND queue < 4`;

const freeMails = (db: Kysely<Schema>, now: number) =>
  db.selectFrom('mails').select('id').where(isFree(now)).orderBy('id').limit(mostTaken);
const freeDeliveries = (db: Kysely<Schema>, now: number) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where(isOfBefore)
    .where(isFree(now))
    .orderBy('id')
    .limit(mostTaken);

export async function takeInStep(context: SqlContext, now: number): Promise<number> {
  // Without a transaction: there is nearly always nothing to take in.
  const [mail, delivery] = await Promise.all([
    freeMails(context.read, now).executeTakeFirst(),
    freeDeliveries(context.read, now).executeTakeFirst(),
  ]);
  return mail || delivery ? atomically(context, (db) => takeIn(db, now)) : 0;
}

/** Call it inside a transaction. What is being sent stays until it has been sent, or until its lease has expired. */
export const takeIn = async (db: Kysely<Schema>, now: number): Promise<number> =>
  (await moveMails(db, now)) + (await moveDeliveries(db, now));

async function moveDeliveries(db: Kysely<Schema>, now: number): Promise<number> {
  const owner = sql.raw("CASE target WHEN 'form' THEN form_id ELSE project_id END");
  const webhook = sql`substr(${owner}, 1, 14) || '8' || substr(${owner}, 16)`;
  const { numAffectedRows } = await sql`UPDATE deliveries SET queue = queue + 4,
      destination_id = CASE destination_id WHEN '' THEN ${webhook} ELSE destination_id END,
      lane = CASE lane WHEN '' THEN ' ' || ${webhook} ELSE lane END
    WHERE id IN (${freeDeliveries(db, now)}) AND ${isOfBefore} AND ${isFree(now)}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

async function moveMails(db: Kysely<Schema>, now: number): Promise<number> {
  const found = await freeMails(db, now).execute();
  if (found.length === 0) return 0;
  const ids = found.map((row) => row.id);
  // Checked again: another process may have started to send one meanwhile.
  const moved = await db
    .deleteFrom('mails')
    .where('id', 'in', ids)
    .where(isFree(now))
    .returningAll()
    .execute();
  for (const mail of moved) await insertDelivery(db, mail);
  return moved.length;
}

/** Frees the mails that a process of the previous release, now ended, had claimed. With null, those of all processes. */
export async function freeMailsOf(db: Kysely<Schema>, owner: string | null, now: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ lease_token: null, lease_owner: null, next_attempt_at: now })
    .where('state', '=', 'pending')
    .where('lease_owner', owner === null ? 'is not' : '=', owner)
    .execute();
}

const stateOf = ({ state }: MailRow): DeliveryState =>
  state === 'sent' ? 'delivered' : state === 'failed' ? 'failed' : 'pending';

async function insertDelivery(db: Kysely<Schema>, mail: MailRow): Promise<void> {
  const form = await db
    .selectFrom('forms')
    .select('project_id')
    .where('id', '=', mail.form_id)
    .executeTakeFirst();
  if (!form) return;
  const destinationId = builtInId(mail.form_id, 'email');
  const values = deliveries.values({
    id: mail.id,
    submissionId: mail.submission_id,
    formId: mail.form_id,
    projectId: form.project_id,
    destinationId,
    kind: 'email',
    target: 'form',
    lane: laneOf(mailOrigin, destinationId),
    url: mail.recipient,
    body: '',
    state: stateOf(mail),
    nextAttemptAt: mail.next_attempt_at,
    heldUntil: null,
    createdAt: mail.created_at,
    attempt: mail.attempt,
    extraAttempts: 0,
    resumeAt: null,
    trigger: 'auto',
    queue: mail.attempt === 0 ? queues.first : queues.later,
  });
  await sql`INSERT INTO deliveries (${sql.raw(deliveries.columns.join(', '))})
    VALUES (${sql.join(values)})`.execute(db);
  if (mail.attempt > 0)
    await sql`INSERT INTO delivery_attempts (delivery_id, number, at, "trigger", duration_ms, error)
      VALUES (${mail.id}, ${mail.attempt}, ${mail.created_at}, 'auto', 0, ${mail.error})`.execute(db);
  await sql`UPDATE submissions SET webhook_state = ${sql.raw(submissionState)}
    WHERE id = ${mail.submission_id}`.execute(db);
}
