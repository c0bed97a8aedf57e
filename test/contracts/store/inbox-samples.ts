/** Minimal labels and notes. */
import { randomUUID } from 'node:crypto';
import { newId } from '#inlet/kernel/ids.js';
import type { Label, Note } from '../../../src/model/inbox.js';
import { nextInstant } from './samples.js';

export function aLabel(accountId: string, some: Partial<Label> = {}): Label {
  const createdAt = nextInstant();
  return {
    id: newId(createdAt),
    accountId,
    name: `Label ${randomUUID()}`,
    color: 'blue',
    createdAt,
    ...some,
  };
}

export function aNote(accountId: string, submissionId: string, some: Partial<Note> = {}): Note {
  const createdAt = nextInstant();
  const place = { id: newId(createdAt), accountId, submissionId, authorId: null };
  return { ...place, text: 'Called back.', createdAt, updatedAt: createdAt, ...some };
}
