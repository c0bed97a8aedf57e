/** /api/v1/submissions/{id}/notes and /api/v1/notes/{id} */
import type { FastifyInstance } from 'fastify';
import { Note, NoteBody, NoteList } from '../../contract/inbox.js';
import { byId } from '../../contract/shapes.js';
import type { NoteService } from '../../domain/inbox/notes.js';
import { isoTime } from '../../kernel/clock.js';
import type { WrittenNote } from '../../model/inbox.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

const BySubmission = byId('The submission.');
const ById = byId('The note.');

const toNote = ({ id, submissionId, text, author, createdAt, updatedAt }: WrittenNote): Note => ({
  id,
  submission_id: submissionId,
  text,
  author,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});

export function noteRoutes(app: FastifyInstance, { gate, notes }: { gate: Gate; notes: NoteService }): void {
  const add = routesOf(app, 'Inbox');

  add({
    method: 'GET',
    path: '/submissions/:id/notes',
    operationId: 'listNotes',
    summary: 'List the notes on a submission, oldest first',
    params: BySubmission,
    responses: { 200: NoteList },
    ...gate.may('inbox.read'),
    handle: async ({ who, params }) => ({ data: (await notes.list(who, params.id)).map(toNote) }),
  });

  add({
    method: 'POST',
    path: '/submissions/:id/notes',
    operationId: 'createNote',
    summary: 'Write a note on a submission',
    params: BySubmission,
    body: NoteBody,
    responses: { 201: Note },
    errors: [409],
    ...gate.may('inbox.manage'),
    handle: async ({ who, params, body }) => toNote(await notes.create(who, params.id, body.text)),
  });

  add({
    method: 'PATCH',
    path: '/notes/:id',
    operationId: 'updateNote',
    summary: 'Change the text of a note',
    params: ById,
    body: NoteBody,
    responses: { 200: Note },
    ...gate.may('inbox.manage'),
    handle: async ({ who, params, body }) => toNote(await notes.update(who, params.id, body.text)),
  });

  add({
    method: 'DELETE',
    path: '/notes/:id',
    operationId: 'deleteNote',
    summary: 'Delete a note',
    params: ById,
    responses: { 204: null },
    ...gate.may('inbox.manage'),
    handle: ({ who, params }) => notes.delete(who, params.id),
  });
}
