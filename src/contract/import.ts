import { type Static, Type } from 'typebox';
import { exactly, instant, Media, nullableText, shape } from './shapes.js';

/** Services whose exports the import recognises. */
export const importSources = [
  'formspree',
  'web3forms',
  'formspark',
  'basin',
  'netlify',
  'forminit',
  'formcarry',
  'staticforms',
  'formsubmit',
  'inlet',
] as const;
export type ImportSource = (typeof importSources)[number];
const meanings = ['field', 'date', 'id', 'ip', 'user_agent', 'referrer', 'spam', 'file', 'skip'] as const;

const on = (description: string) =>
  Type.Optional(Type.Unsafe<'1'>({ type: 'string', enum: ['1'], description }));

export const ImportQuery = exactly({
  source: Type.Optional(
    Type.Unsafe<(typeof importSources)[number]>({
      type: 'string',
      enum: [...importSources],
      description: 'Service that made the file. Without it, columns are recognised by their names.',
    }),
  ),
  map: Type.Optional(
    Type.String({
      maxLength: 64 * 1024,
      description:
        'A JSON object. For each column, the field that it is stored as, or one of `@date`, `@id`, `@ip`, `@user_agent`, `@referrer`, `@spam`, `@file`, `@field`, `@skip`.',
    }),
  ),
  date: Type.Optional(
    Type.String({ maxLength: 256, description: 'Column with the date of the submission.' }),
  ),
  date_order: Type.Optional(
    Type.Unsafe<'dmy' | 'mdy'>({
      type: 'string',
      enum: ['dmy', 'mdy'],
      description: 'Meaning of dates such as 03/04/2024. Without it, the other dates of the column decide.',
    }),
  ),
  default_date: Type.Optional(Type.String({ maxLength: 64, description: 'Date of rows that have none.' })),
  include_spam: on('Also import rows that the service marked as spam.'),
  files: on('Download the files that file columns link to, and store them.'),
  dry_run: on('Check the file and report, but store nothing.'),
});
export type ImportQuery = Static<typeof ImportQuery>;

export const ImportFile = new Media(
  ['text/csv', 'application/json', 'application/x-ndjson'],
  {
    type: 'string',
    description: 'UTF-8, up to 256 MiB: CSV with a header, a JSON array of objects, or JSON lines.',
  },
  'created_at,name\r\n2024-01-31T12:00:00Z,Ada\r\n',
);

const lines = (description: string) =>
  Type.Array(exactly({ line: Type.Integer({ minimum: 1 }), reason: Type.String() }), { description });

export const ImportReport = shape('ImportReport', {
  dry_run: Type.Boolean(),
  rows: Type.Integer({ description: 'Rows that were read.' }),
  imported: Type.Integer({ description: 'Submissions that were added; in a dry run, that would be.' }),
  already_there: Type.Integer({ description: 'Rows that were imported before.' }),
  rejected: Type.Integer({ description: 'Rows that cannot be imported.' }),
  spam: Type.Integer({ description: 'Rows that the service marked as spam, left out.' }),
  expiring: Type.Integer({ description: 'Imported rows that are past the retention of the form.' }),
  files_stored: Type.Integer(),
  files_failed: Type.Integer({
    description: 'Files that could not be downloaded. Their links stay in the data.',
  }),
  columns: Type.Array(
    exactly({
      name: Type.String(),
      meaning: Type.Unsafe<(typeof meanings)[number]>({ type: 'string', enum: [...meanings] }),
      field: Type.String({ description: 'The field that it is stored as, if it is one.' }),
    }),
    { description: 'The columns, and what they were taken for.' },
  ),
  examples: Type.Array(
    exactly({
      created_at: instant('Its date.'),
      data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    }),
    { description: 'The first rows as submissions.' },
  ),
  errors: lines('The first 1,000 rejected rows.'),
  rejected_csv: nullableText({
    description:
      'The rejected rows as CSV, safe to open in a spreadsheet: line, reason and the original cells. The first of them, up to 4 MiB. Null if there are none.',
  }),
  file_errors: lines('The first 1,000 files that could not be downloaded.'),
  warnings: Type.Array(Type.String()),
});
export type ImportReport = Static<typeof ImportReport>;
