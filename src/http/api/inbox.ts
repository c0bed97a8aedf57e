/** /api/v1/submissions/{id}, /submissions/update, /submissions/read-all, /unread: what users do with submissions. */
import type { FastifyInstance } from 'fastify';
import {
  ChangeSubmission,
  ChangeSubmissions,
  type InboxFields,
  ReadAll,
  SubmissionState,
  type SubmissionsChange,
  SubmissionsChanged,
  Unread,
} from '../../contract/inbox.js';
import { byId } from '../../contract/shapes.js';
import type { Changed, InboxService } from '../../domain/inbox/service.js';
import { isoTimeOrNull } from '../../kernel/clock.js';
import type { InboxChange, InboxState } from '../../model/inbox.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

export const inboxFields = (state: InboxState): InboxFields => ({
  folder: state.folder,
  is_read: state.isRead,
  is_starred: state.isStarred,
  assignee_id: state.assigneeId,
  labels: state.labels.map(({ id, name, color }) => ({ id, name, color })),
  notes_count: state.notesCount,
  trashed_at: isoTimeOrNull(state.trashedAt),
});

const toChange = (body: SubmissionsChange | ChangeSubmission) => ({
  folder: body.folder,
  isRead: body.is_read,
  isStarred: body.is_starred,
  assigneeId: body.assignee_id,
});

/** The previous values of the fields in the request. */
const toSingleUndo = (before: InboxState, body: ChangeSubmission): ChangeSubmission => ({
  ...(body.folder !== undefined && before.folder !== 'unconfirmed' && { folder: before.folder }),
  ...(body.is_read !== undefined && before.isRead !== null && { is_read: before.isRead }),
  ...(body.is_starred !== undefined && { is_starred: before.isStarred }),
  ...(body.assignee_id !== undefined && { assignee_id: before.assigneeId }),
  ...(body.labels !== undefined && { labels: before.labels.map(({ id }) => id) }),
});

const toUndo = ({
  folder,
  isRead,
  isStarred,
  assigneeId,
  addLabels,
  removeLabels,
}: InboxChange): SubmissionsChange => ({
  ...(folder !== undefined && { folder }),
  ...(isRead !== undefined && { is_read: isRead }),
  ...(isStarred !== undefined && { is_starred: isStarred }),
  ...(assigneeId !== undefined && { assignee_id: assigneeId }),
  ...(addLabels !== undefined && { add_labels: [...addLabels] }),
  ...(removeLabels !== undefined && { remove_labels: [...removeLabels] }),
});

const toState = ({ before, after }: Changed, body: ChangeSubmission): SubmissionState => ({
  id: after.id,
  ...inboxFields(after),
  undo: toSingleUndo(before, body),
});

export function inboxRoutes(
  app: FastifyInstance,
  { gate, inbox }: { gate: Gate; inbox: InboxService },
): void {
  const add = routesOf(app, 'Inbox');
  const reader = gate.mayInPerson('inbox.read');

  add({
    method: 'PATCH',
    path: '/submissions/:id',
    operationId: 'updateSubmission',
    summary: 'Move a submission to a folder, mark it as read, star, assign or label it',
    params: byId('The submission.'),
    body: ChangeSubmission,
    responses: { 200: SubmissionState },
    errors: [409],
    ...gate.may('inbox.manage'),
    async handle({ who, params, body }) {
      return toState(await inbox.update(who, params.id, { ...toChange(body), labels: body.labels }), body);
    },
  });

  add({
    method: 'POST',
    path: '/submissions/update',
    operationId: 'updateSubmissions',
    summary: 'Make the same change to up to 1000 submissions, all at once',
    body: ChangeSubmissions,
    responses: { 200: SubmissionsChanged },
    errors: [409],
    ...gate.may('inbox.manage'),
    async handle({ who, body: { ids, change } }) {
      const labels = { addLabels: change.add_labels, removeLabels: change.remove_labels };
      const { updated, undo } = await inbox.updateSome(who, ids, { ...toChange(change), ...labels });
      return {
        updated,
        undo: undo.map((one) => ({ ids: [...one.ids], change: toUndo(one.change) })),
      };
    },
  });

  add({
    method: 'POST',
    path: '/submissions/read-all',
    operationId: 'readAllSubmissions',
    summary: 'Mark all submissions of a form, a project or the account as read by the signed-in user',
    credential: 'session',
    body: ReadAll,
    bodyMayBeAbsent: true,
    responses: { 204: null },
    errors: [404],
    ...reader,
    handle: ({ who, body }) => inbox.readAll(who, { formId: body.form_id, projectId: body.project_id }),
  });

  add({
    method: 'GET',
    path: '/unread',
    operationId: 'countUnread',
    summary: 'Count what the signed-in user has not read, by form',
    credential: 'session',
    responses: { 200: Unread },
    ...reader,
    async handle({ who }) {
      const { forms, total } = await inbox.unread(who);
      return { data: forms.map(({ formId, unread }) => ({ form_id: formId, unread })), total };
    },
  });
}
