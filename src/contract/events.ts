import { type Static, Type } from 'typebox';
import { exactly, id, instant, Media } from './shapes.js';

export const EventsQuery = exactly({
  form_id: Type.Optional(Type.String({ description: 'Of this form only (id or public_id).' })),
  project_id: Type.Optional(Type.String({ description: 'Of the forms of this project only.' })),
});

const place = { form_id: id('The form.'), project_id: id('Its project.') };

/** The data of `event: submission.created`. */
export const SubmissionCreated = exactly({
  id: id('The submission.'),
  ...place,
  created_at: instant('When it was accepted.'),
});
export type SubmissionCreated = Static<typeof SubmissionCreated>;

/** The data of `event: delivery.changed`. */
export const DeliveryChanged = exactly({
  submission_id: id('The submission.'),
  ...place,
  webhook_state: Type.Unsafe<'pending' | 'delivered' | 'failed'>({
    type: 'string',
    enum: ['pending', 'delivered', 'failed'],
  }),
});
export type DeliveryChanged = Static<typeof DeliveryChanged>;

/** The data of `event: submission.changed`. */
export const SubmissionsTouched = exactly({
  ids: Type.Array(id('A submission.'), {
    description: 'Empty: more than 100 were changed, or all marked as read.',
  }),
  ...place,
});
export type SubmissionsTouched = Static<typeof SubmissionsTouched>;

export const EventStream = new Media(
  ['text/event-stream'],
  {
    type: 'string',
    description:
      '`event: submission.created` with {id, form_id, project_id, created_at}; `event: delivery.changed` with ' +
      '{submission_id, form_id, project_id, webhook_state}; `event: submission.changed` with {ids, form_id, project_id} when ' +
      'somebody moved, read, starred, assigned, labelled or annotated submissions (`ids` is empty if there were more than 100, or if all were marked as read); `event: destination.failing`, `destination.recovered` and ' +
      '`destination.disabled` with {destination_id, form_id, project_id}; `event: audit.recorded` with {seq, action}, for owners; `event: heartbeat` with {} every 15 seconds. Missed events are not repeated ' +
      '(no Last-Event-ID): read the lists again after connecting.',
  },
  'event: submission.created\ndata: {"id":"01890000-0000-7000-8000-000000000000"}\n\n',
);
