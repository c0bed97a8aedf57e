import { type Static, Type } from 'typebox';
import { exactly, id, instant, nullableText } from './shapes.js';

export const QuarantinedItem = exactly({
  id: id('What is in quarantine. A release gives it another id.'),
  form_id: id('The form that received it.'),
  project_id: id('The project of that form.'),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'The submitted fields, reserved ones removed.',
  }),
  field: Type.String({ description: 'The honeypot field that was filled in.' }),
  files_dropped: Type.Integer({ description: 'Files that came with it; they were not kept.' }),
  metadata: exactly({ ip: Type.String(), user_agent: Type.String(), submitted_from: Type.String() }),
  created_at: instant('When it came.'),
  expires_at: instant('When it is removed.'),
});

export const QuarantineList = exactly({
  data: Type.Array(QuarantinedItem),
  next_cursor: nullableText({
    description: 'What to send as `cursor` for the next page; null on the last one.',
  }),
});

export const QuarantineQuery = exactly({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type QuarantineQuery = Static<typeof QuarantineQuery>;
