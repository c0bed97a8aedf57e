import { type Static, Type } from 'typebox';
import { id, instant, listOf, named, nullableInstant, nullableText, shape } from './shapes.js';

const replayed = Type.Unsafe<'failed' | 'delivered' | 'pending'>({
  type: 'string',
  enum: ['failed', 'delivered', 'pending'],
  description: 'Which deliveries; those that failed unless given.',
});

export const ReplayRequest = shape('ReplayRequest', {
  form_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Of this form (id or public_id). This or project_id.' }),
  ),
  project_id: Type.Optional(Type.String({ maxLength: 64, description: 'Of all forms of this project.' })),
  since: Type.Optional(Type.String({ format: 'instant', description: 'Submissions from this time on.' })),
  until: Type.Optional(Type.String({ format: 'instant', description: 'Submissions before this time.' })),
  state: Type.Optional(replayed),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only count.' })),
  per_minute: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 60_000, description: 'How many a minute; 600 unless given.' }),
  ),
});
export type ReplayRequest = Static<typeof ReplayRequest>;

export const ReplayCount = shape('ReplayCount', {
  count: Type.Integer({ description: 'How many would be sent.' }),
});
export type ReplayCount = Static<typeof ReplayCount>;

export const ReplayFull = shape('ReplayFull', {
  id: id('The replay.'),
  form_id: nullableText({}),
  project_id: nullableText({}),
  since: nullableInstant('Submissions from this time on.'),
  until: instant('Submissions before this time.'),
  destination_id: nullableText({
    format: 'uuid',
    description:
      'Submissions that this destination never got are sent there; null: deliveries are sent again.',
  }),
  state: replayed,
  status: Type.Unsafe<'running' | 'finished' | 'cancelled'>({
    type: 'string',
    enum: ['running', 'finished', 'cancelled'],
  }),
  per_minute: Type.Integer(),
  count: Type.Integer({ description: 'How many there were when it began.' }),
  sent: Type.Integer({ description: 'How many were queued again so far.' }),
  created_at: instant('When it began.'),
  finished_at: nullableInstant('When it ended.'),
});
export type ReplayFull = Static<typeof ReplayFull>;
export const ReplayList = named('ReplayList', listOf(ReplayFull));
export type ReplayList = Static<typeof ReplayList>;
