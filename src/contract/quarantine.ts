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

const someIds = (most: number) =>
  Type.Array(Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: most,
    description: 'Those that are not there are left out.',
  });

export const ReleaseQuarantined = shape('ReleaseQuarantined', { ids: someIds(100) });
export type ReleaseQuarantined = Static<typeof ReleaseQuarantined>;

export const QuarantineReleased = shape('QuarantineReleased', {
  data: Type.Array(
    exactly({ id: id('What was in quarantine.'), submission_id: id('The submission that it became.') }),
  ),
});
export type QuarantineReleased = Static<typeof QuarantineReleased>;

export const DeleteQuarantined = shape('DeleteQuarantined', { ids: someIds(1_000) });
export type DeleteQuarantined = Static<typeof DeleteQuarantined>;

export const QuarantineDeleted = shape('QuarantineDeleted', {
  deleted: Type.Integer({ description: 'How many there were.' }),
});

export const EmptyQuarantine = shape('EmptyQuarantine', {
  form_id: Type.Optional(Type.String({ maxLength: 64, description: 'Of this form only (id or public_id).' })),
});
export type EmptyQuarantine = Static<typeof EmptyQuarantine>;

export const QuarantineEmptied = shape('QuarantineEmptied', {
  deleted: Type.Integer({ description: 'How many were deleted, at most 10,000.' }),
  is_empty: Type.Boolean({ description: 'false: there are more; send the request again.' }),
});
export type QuarantineEmptied = Static<typeof QuarantineEmptied>;

export const QuarantineQuery = exactly(pageQuery);
export type QuarantineQuery = Static<typeof QuarantineQuery>;
