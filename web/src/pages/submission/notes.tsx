/** Internal notes about a submission. */

import { ActionIcon, Button, Group, Stack, Text, Textarea, Title, Tooltip } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.js';
import { offerUndo } from '../../inbox/undo.js';
import { useMay } from '../../may.js';
import { useUnsaved } from '../../navigation.js';
import { keys } from '../../queries.js';
import { useSession } from '../../session.js';
import { ProblemState } from '../../ui/problem-state.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { tellFailure } from '../../ui/tell.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Note, NoteList, Submission } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submission.js';
import './notes.css';

const maxChars = 10_000;

interface NoteFormProps {
  readonly label: string;
  readonly action: string;
  readonly text: string;
  /** Resolves to true once it is stored. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly onCancel?: () => void;
}

function NoteForm({ label, action, text: before, onSave, onCancel }: NoteFormProps) {
  const [text, setText] = useState(before);
  const [isSaving, setSaving] = useState(false);
  useUnsaved(text !== before);
  const save = async () => {
    if (isSaving) return;
    setSaving(true);
    const isSaved = await onSave(text);
    setSaving(false);
    if (isSaved) setText(before === '' ? '' : text);
  };
  return (
    <Stack gap="xs">
      <Textarea
        aria-label={label}
        placeholder={label}
        value={text}
        // What is typed while it is being stored would be lost with the stored text.
        readOnly={isSaving}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '') void save();
          if (event.key === 'Escape') onCancel?.();
        }}
        maxLength={maxChars}
        autosize
        minRows={2}
        maxRows={12}
        data-autofocus={onCancel !== undefined}
      />
      <Group gap="xs">
        <Button size="xs" disabled={text.trim() === ''} loading={isSaving} onClick={() => void save()}>
          {action}
        </Button>
        {onCancel && (
          <Button size="xs" variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function useNotes(submissionId: string) {
  const client = useQueryClient();
  const queryKey = [...keys.submission(submissionId), 'notes'];
  const notes = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<NoteList>(`/submissions/${submissionId}/notes`, undefined, signal),
    select: ({ data }) => data,
  });
  const change = (next: (notes: readonly Note[]) => Note[]) =>
    client.setQueryData<NoteList>(queryKey, (now) => now && { data: next(now.data) });
  const work = useMutation({ mutationFn: (sending: () => Promise<void>) => sending() });
  /** Reports a failure. Resolves to whether it succeeded. */
  const run = (failure: string, sending: () => Promise<void>): Promise<boolean> =>
    work.mutateAsync(sending).then(
      () => true,
      (error) => {
        tellFailure(failure, error);
        return false;
      },
    );
  const write = async (text: string) => {
    const note = await api.post<Note>(`/submissions/${submissionId}/notes`, { text });
    change((all) => [...all, note]);
  };
  return {
    notes,
    add: (text: string) => run(words.noteNotAdded, () => write(text)),
    edit: (id: string, text: string) =>
      run(words.noteNotChanged, async () => {
        const note = await api.patch<Note>(`/notes/${id}`, { text });
        change((all) => all.map((each) => (each.id === id ? note : each)));
      }),
    remove: ({ id, text }: Note) =>
      run(words.noteNotDeleted, async () => {
        await api.delete(`/notes/${id}`);
        change((all) => all.filter((each) => each.id !== id));
        offerUndo(words.noteDeleted, async () => {
          await run(words.noteNotRestored, () => write(text));
        });
      }),
  };
}

interface WrittenNoteProps {
  readonly note: Note;
  readonly isOwn: boolean;
  readonly mayChange: boolean;
  readonly onEdit: (text: string) => Promise<boolean>;
  readonly onDelete: () => void;
}

function WrittenNote({ note, isOwn, mayChange, onEdit, onDelete }: WrittenNoteProps) {
  const [isEdited, setEdited] = useState(false);
  const author = isOwn ? words.you : (note.author?.email ?? words.authorUnknown);
  const save = async (text: string) => {
    const isSaved = await onEdit(text);
    if (isSaved) setEdited(false);
    return isSaved;
  };
  return (
    <Stack component="li" gap={4} className="note">
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="xs" c="dimmed" component="div">
          <Untrusted>{author}</Untrusted> · <RelativeTime iso={note.created_at} />
          {note.updated_at !== note.created_at && ` · ${words.edited}`}
        </Text>
        {isOwn && mayChange && !isEdited && (
          <Group gap={4} wrap="nowrap">
            <Tooltip label={words.editNote}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={words.editNote}
                onClick={() => setEdited(true)}
              >
                <IconPencil size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={words.deleteNote}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={words.deleteNote}
                onClick={onDelete}
              >
                <IconTrash size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </Group>
        )}
      </Group>
      {isEdited ? (
        <NoteForm
          label={words.noteText}
          action={words.saveNote}
          text={note.text}
          onSave={save}
          onCancel={() => setEdited(false)}
        />
      ) : (
        <Text size="sm" component="div" className="note-text">
          <Untrusted>{note.text}</Untrusted>
        </Text>
      )}
    </Stack>
  );
}

interface NotesProps {
  readonly submission: Pick<Submission, 'id' | 'project_id'>;
}

export function Notes({ submission: { id, project_id } }: NotesProps) {
  const { notes, add, edit, remove } = useNotes(id);
  const me = useSession().data?.user.id;
  const may = useMay('inbox.manage', project_id);
  // Users who cannot write notes see the section only if there are any.
  if (!may && notes.data?.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label={words.notes}>
      <Title order={2}>{words.notes}</Title>
      {notes.isLoadingError && <ProblemState error={notes.error} retry={() => void notes.refetch()} />}
      {notes.data && notes.data.length > 0 && (
        <ul className="notes">
          {notes.data.map((note) => (
            <WrittenNote
              key={note.id}
              note={note}
              isOwn={note.author !== null && note.author.id === me}
              mayChange={may}
              onEdit={(text) => edit(note.id, text)}
              onDelete={() => void remove(note)}
            />
          ))}
        </ul>
      )}
      {may && <NoteForm label={words.addNoteLabel} action={words.addNote} text="" onSave={add} />}
    </Stack>
  );
}
