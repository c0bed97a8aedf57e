import { type Static, Type } from 'typebox';
import { exactly, id, instant, named, pageOf, pageQuery, shape } from './shapes.js';
import { controlFields } from './submission.js';

export const QuarantinedItem = shape('QuarantinedItem', {
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
  metadata: exactly({
    ip: Type.String(),
    user_agent: Type.String(),
    submitted_from: Type.String(),
    control_fields: Type.Optional(controlFields),
  }),
  created_at: instant('When it came.'),
  expires_at: instant('When it is removed.'),
});
export type QuarantinedItem = Static<typeof QuarantinedItem>;

export const QuarantineList = named('QuarantineList', pageOf(QuarantinedItem));
export type QuarantineList = Static<typeof QuarantineList>;

export const QuarantineQuery = exactly(pageQuery);
export type QuarantineQuery = Static<typeof QuarantineQuery>;
