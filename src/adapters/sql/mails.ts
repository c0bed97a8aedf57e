/** Notification mails as rows; the table is their queue. */
import type { Mail, MailState } from '../../model/mail.js';
import type { MailStore } from '../../ports/mails.js';
import { atomically, type SqlContext } from './context.js';
import type { SqlValue } from './engine.js';
import { isEpoch } from './epoch.js';
import type { MailRow } from './schema.js';
import { withFiles } from './submission-rows.js';

export const mailColumns = [
  'id',
  'submission_id',
  'form_id',
  'recipient',
  'state',
  'attempt',
  'next_attempt_at',
  'error',
  'created_at',
] as const;

export const mailValues = (mail: Mail): readonly SqlValue[] => [
  mail.id,
  mail.submissionId,
  mail.formId,
  mail.recipient,
  mail.state,
  mail.attempt,
  mail.nextAttemptAt,
  mail.error,
  mail.createdAt,
];

const toMail = (row: MailRow): Mail => ({
  id: row.id,
  submissionId: row.submission_id,
  formId: row.form_id,
  recipient: row.recipient,
  state: row.state as MailState,
  attempt: row.attempt,
  nextAttemptAt: row.next_attempt_at,
  error: row.error,
  createdAt: row.created_at,
});

export const mailStore = (context: SqlContext): MailStore => ({
  async listBySubmission(submissionId) {
    const rows = await context.read
      .selectFrom('mails')
      .selectAll()
      .where('submission_id', '=', submissionId)
      .orderBy('id')
      .execute();
    return rows.map(toMail);
  },

  claim: (limit, { token, owner, until }, now) =>
    atomically(context, async (db) => {
      const due = await db
        .selectFrom('mails')
        .selectAll()
        .where('state', '=', 'pending')
        .where('next_attempt_at', '<=', now)
        .where(isEpoch(context.epoch))
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      if (due.length === 0) return [];
      // Still due: another process may have been faster.
      const claimed = await db
        .updateTable('mails')
        .set({ lease_token: token, lease_owner: owner, next_attempt_at: until })
        .where(
          'id',
          'in',
          due.map((row) => row.id),
        )
        .where('state', '=', 'pending')
        .where('next_attempt_at', '<=', now)
        .returning('id')
        .execute();
      const ours = new Set(claimed.map((row) => row.id));
      return due.filter((row) => ours.has(row.id)).map(toMail);
    }),

  async record(mail, token) {
    const done = await context.write
      .updateTable('mails')
      .set({
        state: mail.state,
        attempt: mail.attempt,
        next_attempt_at: mail.nextAttemptAt,
        error: mail.error,
        lease_token: null,
        lease_owner: null,
      })
      .where('id', '=', mail.id)
      .where('lease_token', '=', token)
      .executeTakeFirst();
    return done.numUpdatedRows > 0n;
  },

  async subject(submissionId) {
    const row = await context.read
      .selectFrom('submissions')
      .innerJoin('forms', 'forms.id', 'submissions.form_id')
      .innerJoin('projects', 'projects.id', 'forms.project_id')
      .selectAll('submissions')
      .select(['forms.name as form_name', 'projects.name as project_name'])
      .where('submissions.id', '=', submissionId)
      .where('forms.deleted_at', 'is', null)
      .executeTakeFirst();
    if (!row) return null;
    const [submission] = await withFiles(context.read, [row]);
    return submission ? { submission, formName: row.form_name, projectName: row.project_name } : null;
  },

  async recover(owner, now) {
    const leased = context.write
      .updateTable('mails')
      .set({ lease_token: null, lease_owner: null, next_attempt_at: now })
      .where('state', '=', 'pending');
    // A lease of before there were owners has a token only.
    const done = await (owner === null
      ? leased.where('lease_token', 'is not', null)
      : leased.where('lease_owner', '=', owner)
    ).executeTakeFirst();
    return Number(done.numUpdatedRows);
  },

  async pullBack(latest, now) {
    await context.write
      .updateTable('mails')
      .set({ lease_token: null, lease_owner: null, next_attempt_at: now })
      .where('state', '=', 'pending')
      .where('next_attempt_at', '>', latest)
      .execute();
  },

  async nextDueAt() {
    const row = await context.read
      .selectFrom('mails')
      .select('next_attempt_at')
      .where('state', '=', 'pending')
      // Who may not claim it must not be woken for it over and over.
      .where(isEpoch(context.epoch))
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst();
    return row?.next_attempt_at ?? null;
  },
});
