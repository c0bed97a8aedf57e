import { type Static, Type } from 'typebox';
import {
  exactly,
  id,
  instant,
  listOf,
  Media,
  named,
  nullableInstant,
  nullableText,
  shape,
} from './shapes.js';

const q = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'An e-mail address, a phone number, or words that stand side by side.',
});

export const PersonQuery = shape('PersonQuery', { q });
export type PersonQuery = Static<typeof PersonQuery>;

export const PersonErase = shape('PersonErase', {
  q,
  dry_run: Type.Optional(Type.Boolean({ description: 'Only find what would be erased.' })),
});

const counts = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description: 'How many were found, by where they are.',
});

export const PersonFindings = shape('PersonFindings', {
  counts,
  total: Type.Integer(),
  examples: Type.Array(
    exactly({
      place: Type.String({ description: 'One of the names in counts.' }),
      form_id: nullableText({ format: 'uuid' }),
      submission_id: nullableText({ format: 'uuid' }),
      created_at: nullableInstant('When it was stored.'),
    }),
    { description: 'The first 100.' },
  ),
  truncated: Type.Boolean({ description: 'There are more than the examples.' }),
});
export type PersonFindings = Static<typeof PersonFindings>;

const receipt = {
  erasure_id: Type.String({ format: 'uuid', maxLength: 36 }),
  account_id: Type.String({ format: 'uuid', maxLength: 36 }),
  person_hash: Type.String({ maxLength: 100, description: 'A keyed hash of what was asked for.' }),
  requested_at: Type.String({ format: 'date-time', maxLength: 40 }),
  finished_at: Type.String({ format: 'date-time', maxLength: 40 }),
  counts: Type.Unsafe<Record<string, number>>({
    type: 'object',
    patternProperties: { '^[a-z_]{1,40}$': { type: 'integer' } },
    additionalProperties: false,
  }),
  files_removed: Type.Integer({ minimum: 0 }),
  signature: Type.String({ maxLength: 100, description: 'Only this instance can make it.' }),
};

export const ErasureReceipt = shape('ErasureReceipt', receipt);
export type ErasureReceipt = Static<typeof ErasureReceipt>;

export const ErasureFull = shape('ErasureFull', {
  id: id('The erasure.'),
  status: Type.Unsafe<'running' | 'finished'>({ type: 'string', enum: ['running', 'finished'] }),
  stage: Type.Unsafe<'rows' | 'late' | 'files' | 'traces' | 'finished'>({
    type: 'string',
    enum: ['rows', 'late', 'files', 'traces', 'finished'],
    description: 'What it is doing.',
  }),
  place: Type.String({ description: 'Where it looks now.' }),
  counts,
  files_removed: Type.Integer(),
  person_hash: Type.String({ description: 'A keyed hash of what was asked for, which is not stored.' }),
  created_at: instant('When it was asked for. What is submitted later is not erased.'),
  finished_at: nullableInstant('When it ended.'),
  receipt: Type.Unsafe<ErasureReceipt | null>({
    anyOf: [ErasureReceipt, { type: 'null' }],
    description: 'Once it has finished.',
  }),
});
export type ErasureFull = Static<typeof ErasureFull>;
export const ErasureList = named('ErasureList', listOf(ErasureFull));
export type ErasureList = Static<typeof ErasureList>;

export const ReceiptCheck = shape('ReceiptCheck', {
  valid: Type.Boolean({ description: 'This instance signed this receipt for this account.' }),
});

export const PersonArchive = new Media(
  ['application/zip'],
  { type: 'string', format: 'binary', description: 'data.json, submissions.csv and the files.' },
  'PK…',
);
