import { type Static, Type } from 'typebox';
import { exactly, id, instant, listOf, named, nullableInstant, nullableText, shape } from './shapes.js';

export const folders = ['inbox', 'archive', 'spam', 'trash', 'unconfirmed'] as const;
export type Folder = (typeof folders)[number];
/** Submissions in these are listed only on request. Their waiting deliveries are paused until they are moved back. */
export const setAsideFolders = ['spam', 'trash'] as const satisfies readonly Folder[];
export type SetAsideFolder = (typeof setAsideFolders)[number];
/** Double opt-in puts submissions into `unconfirmed`, and the visitor's confirmation takes them out: users cannot move them. */
export type MovableFolder = Exclude<Folder, 'unconfirmed'>;
export const labelColors = ['gray', 'red', 'orange', 'yellow', 'green', 'blue', 'violet', 'pink'] as const;
export type LabelColor = (typeof labelColors)[number];

/** Limits of an account, a submission or a request. */
export const inboxLimits = {
  labels: 100,
  labelsPerSubmission: 20,
  notesPerSubmission: 200,
  noteLength: 10_000,
  views: 100,
  idsPerChange: 1_000,
} as const;

const folder = Type.Unsafe<Folder>({
  type: 'string',
  enum: [...folders],
  description:
    'Every submission is in one folder. In `spam` and `trash`, waiting deliveries are paused; after 30 days in `trash` the submission is deleted for good. In `unconfirmed` it waits for its double opt-in.',
});
const movableFolder = Type.Unsafe<MovableFolder>({
  type: 'string',
  enum: folders.filter((one) => one !== 'unconfirmed'),
  description: 'Where to move it. A submission in `unconfirmed` cannot be moved.',
});
/** Any text, as for all ids in requests: a value that is not an id is treated as unknown. */
const givenId = Type.String({ maxLength: 64 });

const labelName = Type.String({
  minLength: 1,
  maxLength: 50,
  pattern: '\\S',
  description: 'Unique in the account, regardless of case; blanks around it are dropped.',
});
const color = Type.Unsafe<LabelColor>({ type: 'string', enum: [...labelColors] });

export const Label = shape('Label', {
  id: id('The label.'),
  name: Type.String(),
  color,
  created_at: instant('When it was created.'),
});
export type Label = Static<typeof Label>;
export const LabelList = named('LabelList', listOf(Label));
export type LabelList = Static<typeof LabelList>;
export const CreateLabel = shape('CreateLabel', {
  name: labelName,
  color: Type.Optional(Type.Unsafe<LabelColor>({ ...color, default: 'gray' })),
});
export type CreateLabel = Static<typeof CreateLabel>;
export const PatchLabel = shape('PatchLabel', Type.Partial(exactly({ name: labelName, color })).properties);
export type PatchLabel = Static<typeof PatchLabel>;

const LabelSummary = shape('LabelSummary', { id: id('The label.'), name: Type.String(), color });

/** What users have done with a submission. */
const stateFields = {
  folder,
  is_read: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether the signed-in user has read it. Null for an API key, which is nobody.',
  }),
  is_starred: Type.Boolean(),
  assignee_id: nullableText({ format: 'uuid', description: 'The user who takes care of it.' }),
  labels: Type.Array(LabelSummary),
  notes_count: Type.Integer(),
  trashed_at: nullableInstant('When it was moved to the trash; null in other folders.'),
};
export const optionalStateFields = Type.Partial(Type.Object(stateFields)).properties;
const InboxFields = exactly(stateFields);
export type InboxFields = Static<typeof InboxFields>;

const settable = {
  folder: movableFolder,
  is_read: Type.Boolean({ description: 'For the signed-in user alone. An API key cannot set it.' }),
  is_starred: Type.Boolean(),
  assignee_id: nullableText({ maxLength: 64, description: 'A user of the account; null for nobody.' }),
};
const labelIds = (description: string) =>
  Type.Array(givenId, { maxItems: inboxLimits.labelsPerSubmission, description });

export const ChangeSubmission = shape(
  'ChangeSubmission',
  Type.Partial(exactly({ ...settable, labels: labelIds('All labels that it has from now on, by id.') }))
    .properties,
);
export type ChangeSubmission = Static<typeof ChangeSubmission>;

export const SubmissionState = shape('SubmissionState', {
  id: id('The submission.'),
  ...stateFields,
  undo: ChangeSubmission,
});
export type SubmissionState = Static<typeof SubmissionState>;

const SubmissionsChange = exactly(
  Type.Partial(
    exactly({
      ...settable,
      add_labels: labelIds('Labels to add, by id.'),
      remove_labels: labelIds('Labels to remove, by id.'),
    }),
  ).properties,
);
export type SubmissionsChange = Static<typeof SubmissionsChange>;
export const ChangeSubmissions = shape('ChangeSubmissions', {
  ids: Type.Array(givenId, {
    minItems: 1,
    maxItems: inboxLimits.idsPerChange,
    description: 'Those that are not there are left out.',
  }),
  change: SubmissionsChange,
});
export type ChangeSubmissions = Static<typeof ChangeSubmissions>;
export const SubmissionsChanged = shape('SubmissionsChanged', {
  updated: Type.Integer({ description: 'How many of them are there.' }),
  undo: Type.Array(ChangeSubmissions, {
    description: 'Requests to this route that set everything back; empty if nothing was different before.',
  }),
});
export type SubmissionsChanged = Static<typeof SubmissionsChanged>;

export const ReadAll = shape('ReadAll', {
  form_id: Type.Optional(Type.String({ maxLength: 64, description: 'This form only (id or public_id).' })),
  project_id: Type.Optional(Type.String({ maxLength: 64, description: 'The forms of this project only.' })),
});

export const Unread = shape('Unread', {
  data: Type.Array(
    exactly({
      form_id: id('The form.'),
      unread: Type.Integer({ description: 'Unread submissions in its inbox; 1000 means 1000 or more.' }),
    }),
    { description: 'The forms that have any.' },
  ),
  total: Type.Integer({ description: 'Over all of `data`.' }),
});
export type Unread = Static<typeof Unread>;

const noteText = Type.String({ minLength: 1, maxLength: inboxLimits.noteLength, pattern: '\\S' });
export const NoteBody = shape('NoteBody', { text: noteText });
const Author = exactly({ id: id('The user.'), email: Type.String() });
export const Note = shape('Note', {
  id: id('The note.'),
  submission_id: id('The submission.'),
  text: Type.String(),
  author: Type.Unsafe<Static<typeof Author> | null>({
    ...Author,
    type: ['object', 'null'],
    description: 'Null: it was written with an API key, or its author was deleted.',
  }),
  created_at: instant('When it was written.'),
  updated_at: instant('When its text last changed.'),
});
export type Note = Static<typeof Note>;
export const NoteList = named('NoteList', listOf(Note));
export type NoteList = Static<typeof NoteList>;
