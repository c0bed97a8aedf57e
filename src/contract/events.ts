import { type Static, Type } from 'typebox';
import { exactly } from './shapes.js';

export const EventsQuery = exactly({
  form_id: Type.Optional(Type.String({ description: 'Of this form only (id or public_id).' })),
  project_id: Type.Optional(Type.String({ description: 'Of the forms of this project only.' })),
});
export type EventsQuery = Static<typeof EventsQuery>;

export const EventStream = Type.String({
  description:
    '`event: submission.created` with {id, form_id, project_id, created_at}; `event: delivery.changed` with ' +
    '{submission_id, form_id, project_id, webhook_state}; a comment every 15 seconds. Nothing is repeated to those who ' +
    'were away (no Last-Event-ID): read again after connecting.',
});
