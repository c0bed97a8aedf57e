import { type Static, type TSchema, Type } from 'typebox';
import { Confirmation } from './double-opt-in.js';
import { type Folder, folders, optionalStateFields } from './inbox.js';
import { exactly, id, instant, Media, named, nullableText, pageOf, pageQuery, shape } from './shapes.js';

const webhookStates = ['pending', 'delivered', 'failed'] as const;

/** A file in a submission and in a webhook payload. */
const FileSummary = shape('FileSummary', {
  id: id('The file.'),
  field: Type.String({ description: 'Name of the form field that carried it.' }),
  filename: Type.String(),
  type: Type.String({ description: 'MIME type.' }),
  size: Type.Integer({ description: 'Bytes.' }),
});

export const controlFields = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description:
    'Fields that steer the service, such as `_subject` or `_next`, as they were sent. They are not part of the data. Missing if there were none.',
});

export const SubmissionFull = shape('SubmissionFull', {
  id: id('The submission.'),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'The submitted fields, reserved ones removed.',
  }),
  files: Type.Array(FileSummary),
  form_id: id('The form that received it.'),
  project_id: id('The project of that form.'),
  metadata: exactly({
    ip: Type.String(),
    user_agent: Type.String(),
    submitted_from: Type.String({
      description: 'The Referer, else the Origin; empty when neither was sent.',
    }),
    control_fields: Type.Optional(controlFields),
  }),
  created_at: instant('When it was accepted.'),
  delivery_state: Type.Optional(
    Type.Unsafe<(typeof webhookStates)[number] | null>({
      type: ['string', 'null'],
      enum: [...webhookStates, null],
      description:
        'Only with `include=delivery_state`. pending: at least one delivery is waiting or being sent. failed: none is pending, and at least one was given up. ' +
        'Null: the submission has no deliveries.',
    }),
  ),
  ...optionalStateFields,
  reply_to: Type.Optional(
    nullableText({
      description:
        'Only with `include=reply_to`: the e-mail address of the visitor, as notifications reply to it. Null: none is known for certain.',
    }),
  ),
  confirmation: Type.Optional(Confirmation),
});
export type SubmissionFull = Static<typeof SubmissionFull>;

export const SubmissionList = named('SubmissionList', pageOf(SubmissionFull));
export type SubmissionList = Static<typeof SubmissionList>;

const includes = ['delivery_state', 'inbox', 'delivery_state,inbox', 'inbox,delivery_state'] as const;
const include = Type.Optional(
  Type.Unsafe<(typeof includes)[number]>({
    type: 'string',
    enum: [...includes],
    description:
      'Adds fields to each submission. `inbox`: `folder`, `is_read`, `is_starred`, `assignee_id`, `labels`, `notes_count` and `trashed_at`.',
  }),
);

const folder = Type.Optional(
  Type.Unsafe<Folder | 'all'>({
    type: 'string',
    enum: [...folders, 'all'],
    description: 'Only what is in this folder. Default: everything except `spam`, `trash` and `unconfirmed`.',
  }),
);

export const fieldFilterLimits = { conditions: 5, nameLength: 200, textLength: 500 } as const;

/** Adds parameters whose names contain the name of a field. */
const withFieldFilters = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, {
    additionalProperties: false,
    patternProperties: {
      '^field\\.': Type.String({
        maxLength: fieldFilterLimits.textLength,
        description:
          '`field.NAME` keeps submissions whose field has this text, `field.NAME.contains` those that contain it, both regardless of case. ' +
          `At most ${fieldFilterLimits.conditions} of them. A page can then be short or empty although there are more: follow \`next_cursor\`.`,
      }),
    },
  });

const submissionFilters = {
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description:
        'Full text: every word must appear, at least as a beginning. What was stored last comes first, so imported submissions are ordered by their import.',
    }),
  ),
  since: Type.Optional(Type.String({ format: 'instant', description: 'ISO 8601; from this moment on.' })),
  until: Type.Optional(Type.String({ format: 'instant', description: 'ISO 8601; before this moment.' })),
  webhook_state: Type.Optional(
    Type.Unsafe<(typeof webhookStates)[number]>({ type: 'string', enum: [...webhookStates] }),
  ),
  folder,
  is_read: Type.Optional(
    Type.Boolean({ description: 'Whether the signed-in user has read it. Not with an API key.' }),
  ),
  is_starred: Type.Optional(Type.Boolean()),
  label: Type.Optional(Type.String({ maxLength: 64, description: 'Has this label, by id.' })),
  assignee: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The id of a user, `none`, or `me` for the signed-in user.',
    }),
  ),
  sort: Type.Optional(
    Type.String({
      maxLength: 7 + fieldFilterLimits.nameLength,
      description:
        '`created_at`, `field.NAME`, or one of them with `-` for descending. Default: `-created_at`. Numbers come before texts, and submissions without the field last.',
    }),
  ),
};

/** The filters and sort order of a list. Saved views have them too. */
export const SubmissionFilters = named('SubmissionFilters', withFieldFilters(submissionFilters));
export type SubmissionFilters = Static<typeof SubmissionFilters>;

export const SubmissionQuery = withFieldFilters({
  ...pageQuery,
  cursor: Type.Optional(Type.String({ maxLength: 600 })),
  ...submissionFilters,
  include,
});
export type SubmissionQuery = Static<typeof SubmissionQuery>;

/** Other parameters are ignored, for compatibility. */
export const SubmissionGetQuery = Type.Object({
  include: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...includes, 'reply_to', ...includes.map((names) => `${names},reply_to`)],
      description: 'Adds fields, as in lists. `reply_to`: whom a reply goes to.',
    }),
  ),
});
export type Include = SubmissionQuery['include'];

const exportFormat = {
  format: Type.Optional(
    Type.Unsafe<'csv' | 'jsonl'>({
      type: 'string',
      enum: ['csv', 'jsonl'],
      default: 'csv',
      description:
        'CSV is safe to open in a spreadsheet: an apostrophe before each formula turns it into text, also behind a semicolon, ' +
        'a tab or a line break. Numbers such as -12.5, and phone numbers with spaces or parentheses such as +49 170 1234567, ' +
        'are unchanged. ' +
        'JSON lines return everything exactly as submitted.',
    }),
  ),
  bom: Type.Optional(
    Type.Unsafe<'1'>({
      type: 'string',
      enum: ['1'],
      description:
        'CSV only: starts with a UTF-8 byte order mark, so that Excel shows accents and other scripts.',
    }),
  ),
};
export const ExportQuery = withFieldFilters({ folder, ...exportFormat });
export type ExportQuery = Static<typeof ExportQuery>;

/** Selects a list, its filters and its sort order. */
export const NeighboursQuery = withFieldFilters({
  form_id: Type.Optional(Type.String({ maxLength: 64, description: 'In the list of this form.' })),
  project_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'In the list of this project. With neither: in the list of the account.',
    }),
  ),
  ...submissionFilters,
});
export type NeighboursQuery = Static<typeof NeighboursQuery>;

export const Neighbours = shape('Neighbours', {
  previous_id: nullableText({
    format: 'uuid',
    description: 'The submission before it in the list; null: it is the first one.',
  }),
  next_id: nullableText({
    format: 'uuid',
    description: 'The submission after it; null: it is the last one.',
  }),
});
export type Neighbours = Static<typeof Neighbours>;

export const ExportSelection = shape('ExportSelection', {
  ids: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 1_000,
    description: 'In the order of the file. Those that are not there are left out.',
  }),
  ...exportFormat,
});

export const SubmissionExport = new Media(
  ['text/csv', 'application/x-ndjson'],
  { type: 'string', description: 'One line per submission, in the order of their arrival.' },
  'id,created_at,name\r\n01890000-0000-7000-8000-000000000000,2026-01-31T12:00:00.000Z,Ada\r\n',
);

export const DeleteSubmissions = shape('DeleteSubmissions', {
  ids: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 100,
    description: 'Those that are not there are left out.',
  }),
});
export type DeleteSubmissions = Static<typeof DeleteSubmissions>;
export const SubmissionsDeleted = shape('SubmissionsDeleted', {
  deleted: Type.Integer({ description: 'How many there were.' }),
});

/** The JSON response of the submission endpoint. */
export const SubmissionAccepted = shape('SubmissionAccepted', {
  success: Type.Literal(true),
  submission_id: id('The submission.'),
  files: Type.Array(
    exactly({ id: id('The file.'), filename: Type.String(), type: Type.String(), size: Type.Integer() }),
  ),
});
export type SubmissionAccepted = Static<typeof SubmissionAccepted>;

/** Why a page could not submit a form, limited to what every page may know. */
export const FormAccess = shape('FormAccess', {
  origin_allowed: Type.Boolean({
    description: 'Whether the form accepts submissions from the origin that asks.',
  }),
  is_open: Type.Boolean({ description: 'Whether the form is active.' }),
});
export type FormAccess = Static<typeof FormAccess>;
