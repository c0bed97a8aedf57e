import { type Static, Type } from 'typebox';
import { exactly, id, instant, nullableText } from './shapes.js';

/** A file inside a submission and in a webhook payload. */
const FileSummary = exactly({
  id: id('The file.'),
  field: Type.String({ description: 'Name of the form field that carried it.' }),
  filename: Type.String(),
  type: Type.String({ description: 'MIME type.' }),
  size: Type.Integer({ description: 'Bytes.' }),
});

export const SubmissionFull = exactly({
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
  }),
  created_at: instant('When it was accepted.'),
});

export const SubmissionList = exactly({
  data: Type.Array(SubmissionFull),
  next_cursor: nullableText({
    description: 'What to send as `cursor` for the next page; null on the last one.',
  }),
});

const webhookStates = ['pending', 'delivered', 'failed'] as const;

export const SubmissionQuery = exactly({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Full text: every word must appear, at least as a beginning.',
    }),
  ),
  since: Type.Optional(Type.String({ format: 'instant', description: 'ISO 8601; from this moment on.' })),
  until: Type.Optional(Type.String({ format: 'instant', description: 'ISO 8601; before this moment.' })),
  webhook_state: Type.Optional(
    Type.Unsafe<(typeof webhookStates)[number]>({ type: 'string', enum: [...webhookStates] }),
  ),
});
export type SubmissionQuery = Static<typeof SubmissionQuery>;

export const ExportQuery = exactly({
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
});
export type ExportQuery = Static<typeof ExportQuery>;

export const DeleteSubmissions = exactly({
  ids: Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 100,
    description: 'Those that are not there are left out.',
  }),
});
export type DeleteSubmissions = Static<typeof DeleteSubmissions>;
export const SubmissionsDeleted = exactly({ deleted: Type.Integer({ description: 'How many there were.' }) });

/** The JSON answer of the submission endpoint. */
export const SubmissionAccepted = exactly({
  success: Type.Literal(true),
  submission_id: id('The submission.'),
  files: Type.Array(
    exactly({ id: id('The file.'), filename: Type.String(), type: Type.String(), size: Type.Integer() }),
  ),
});
