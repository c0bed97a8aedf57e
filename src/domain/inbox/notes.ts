/** Notes on submissions, visible only inside the account. */
import { inboxLimits } from '../../contract/inbox.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Note, WrittenNote } from '../../model/inbox.js';
import type { BoundStore, Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { AuditTrail } from '../audit/trail.js';
import type { SubmissionService } from '../submissions/service.js';
import type { PublishChange } from './publish-change.js';

export interface NoteService {
  list(who: Principal, submissionId: string): Promise<readonly WrittenNote[]>;
  create(who: Principal, submissionId: string, text: string): Promise<WrittenNote>;
  update(who: Principal, id: string, text: string): Promise<WrittenNote>;
  delete(who: Principal, id: string): Promise<void>;
}

/** Without the text of the note, which is about a person. */
const onSubmission = (id: string) => ({ kind: 'submission', id });

export function createNoteService(deps: {
  store: Store;
  clock: Clock;
  submissions: SubmissionService;
  publishChange: PublishChange;
  trail: AuditTrail;
}): NoteService {
  const { store, clock, submissions, publishChange, trail } = deps;

  const get = async (from: BoundStore, who: Principal, id: string): Promise<WrittenNote> => {
    const note = await from.notes.find(who, id);
    if (!note) throw refuse.noteNotFound();
    return note;
  };
  /** A user may change only their own notes; a program may change every note. */
  const getOwn = async (from: BoundStore, who: Principal, id: string): Promise<WrittenNote> => {
    const note = await get(from, who, id);
    if (who.userId !== null && who.userId !== note.authorId) throw refuse.notTheAuthor();
    return note;
  };
  const announce = async (who: Principal, submissionId: string): Promise<void> =>
    publishChange(who, await store.inbox.states(who, null, [submissionId]));

  return {
    async list(who, submissionId) {
      const submission = await submissions.get(who, submissionId);
      await trail.viewed(who, 'submission.viewed', onSubmission(submission.id));
      return store.notes.list(who, submission.id);
    },

    async create(who, submissionId, text) {
      const submission = await submissions.get(who, submissionId);
      const now = clock.now();
      const written = await store.tx(async (tx) => {
        if ((await tx.notes.count(submission.id)) >= inboxLimits.notesPerSubmission)
          throw refuse.tooManyNotes(inboxLimits.notesPerSubmission);
        const { accountId, userId: authorId } = who;
        const place = { id: newId(now), accountId, submissionId: submission.id };
        const note: Note = { ...place, authorId, text, createdAt: now, updatedAt: now };
        await tx.notes.create(note);
        record(tx, who, { action: 'note.created', object: onSubmission(submission.id) });
        return get(tx, who, note.id);
      });
      publishChange(who, [submission]);
      return written;
    },

    async update(who, id, text) {
      const written = await store.tx(async (tx) => {
        const { submissionId } = await getOwn(tx, who, id);
        await tx.notes.update(who, id, text, clock.now());
        record(tx, who, { action: 'note.updated', object: onSubmission(submissionId) });
        return get(tx, who, id);
      });
      await announce(who, written.submissionId);
      return written;
    },

    async delete(who, id) {
      const { submissionId } = await store.tx(async (tx) => {
        const note = await getOwn(tx, who, id);
        await tx.notes.delete(who, id);
        record(tx, who, { action: 'note.deleted', object: onSubmission(note.submissionId) });
        return note;
      });
      await announce(who, submissionId);
    },
  };
}
