/** Double opt-in as rows: one for each submission that waits for a confirmation or was confirmed. */
import { type Kysely, sql } from 'kysely';
import type { OptIn } from '../../../model/opt-in.js';
import type { ConfirmedSubmission, OptInStore } from '../../../ports/opt-ins.js';
import { atomically, listText, runBatch, type SqlContext } from '../context.js';
import { type BatchInsert, insertText } from '../engine.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { Schema } from '../schema.js';
import { capInserts, talliesInsert, totalsInsert } from './counting.js';
import { deliveries, submissionState } from './deliveries.js';
import { lockInQueueOrder } from './inbox.js';

export const optIns = mapped<OptIn>()(
  'submissionId formId address language expiresAt sentAt confirmedAt ip userAgent',
);

/** A new submission is above every mark. One that is confirmed later may be below, but still counts as unread. */
async function markUnread(
  db: Kysely<Schema>,
  { submission: { id, formId }, accountId }: ConfirmedSubmission,
): Promise<void> {
  await db.deleteFrom('read_exceptions').where('submission_id', '=', id).execute();
  await sql`INSERT INTO read_exceptions (user_id, form_id, submission_id, is_read)
    SELECT users.id, ${formId}, ${id}, 0 FROM users
    LEFT JOIN read_marks ON read_marks.user_id = users.id AND read_marks.form_id = ${formId}
    WHERE users.account_id = ${accountId}
      AND COALESCE(read_marks.read_up_to, users.read_up_to) >= ${id}`.execute(db);
}

async function confirm(
  context: SqlContext,
  db: Kysely<Schema>,
  confirmed: ConfirmedSubmission,
): Promise<boolean> {
  const { submission, evidence, skipped } = confirmed;
  await lockInQueueOrder(context, db, [submission.id]);
  const { numUpdatedRows } = await db
    .updateTable('opt_ins')
    .set({ confirmed_at: evidence.confirmedAt, ip: evidence.ip, user_agent: evidence.userAgent })
    .where('submission_id', '=', submission.id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const cap = capInserts([confirmed]);
  const inserts: readonly BatchInsert[] = [
    cap.hold,
    totalsInsert([confirmed], context.slot),
    cap.count,
    talliesInsert({ received: [submission] }, context.slot),
    {
      table: 'deliveries',
      columns: deliveries.columns,
      rows: confirmed.deliveries.map(deliveries.values),
    },
  ];
  await runBatch(
    { ...context, write: db, inTransaction: true },
    inserts.map((insert) => ({ sql: insertText(insert), rows: insert.rows })),
  );
  await sql`UPDATE submissions SET folder = 'inbox', webhook_state = ${sql.raw(submissionState)},
    skipped_destinations = ${skipped.length > 0 ? listText(skipped) : null}
    WHERE id = ${submission.id}`.execute(db);
  await markUnread(db, confirmed);
  return true;
}

export const optInStore = (context: SqlContext): OptInStore => ({
  async find(reach, submissionId) {
    const row = await context.read
      .selectFrom('opt_ins')
      .innerJoin('forms', 'forms.id', 'opt_ins.form_id')
      .innerJoin('projects', 'projects.id', 'forms.project_id')
      .selectAll('opt_ins')
      .where('opt_ins.submission_id', '=', submissionId)
      .where(inReach(reach))
      .executeTakeFirst();
    return row ? optIns.toNoun(row) : null;
  },

  async load(submissionId) {
    const row = await context.read
      .selectFrom('opt_ins')
      .selectAll()
      .where('submission_id', '=', submissionId)
      .executeTakeFirst();
    return row ? optIns.toNoun(row) : null;
  },

  async noteSent(submissionId, at) {
    await context.write
      .updateTable('opt_ins')
      .set({ sent_at: at })
      .where('submission_id', '=', submissionId)
      .where('sent_at', 'is', null)
      .execute();
  },

  confirm: (confirmed) => atomically(context, (db) => confirm(context, db, confirmed)),
});
