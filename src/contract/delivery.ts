import { type Static, Type } from 'typebox';
import { type KindName, kindNames } from './destination.js';
import { type SetAsideFolder, setAsideFolders } from './inbox.js';
import {
  exactly,
  id,
  instant,
  named,
  nullableInstant,
  nullableInteger,
  nullableText,
  pageOf,
  pageQuery,
  shape,
} from './shapes.js';

const state = Type.Unsafe<'pending' | 'delivered' | 'failed' | 'suppressed'>({
  type: 'string',
  enum: ['pending', 'delivered', 'failed', 'suppressed'],
});
const target = Type.Unsafe<'form' | 'project'>({ type: 'string', enum: ['form', 'project'] });

const attemptFields = {
  number: Type.Integer(),
  at: instant('When the attempt began.'),
  trigger: Type.Unsafe<'auto' | 'manual' | 'replay'>({ type: 'string', enum: ['auto', 'manual', 'replay'] }),
  status: nullableInteger({ description: 'HTTP status of the response; null when there was none.' }),
  duration_ms: Type.Integer(),
  error: nullableText({ description: 'What class of fault it was, and what happened; null for a success.' }),
  response: nullableText({ description: 'The beginning of the response.' }),
};

const deliveryFields = {
  id: id('The delivery.'),
  destination_id: id('Where it goes.'),
  kind: Type.Unsafe<KindName>({ type: 'string', enum: [...kindNames] }),
  name: Type.String({ description: 'What the destination is called.' }),
  target,
  url: Type.String(),
  state,
  next_attempt_at: nullableInstant('When it is tried next; null when it is not, or is being tried now.'),
};

export const DeliveryItem = shape('DeliveryItem', {
  ...deliveryFields,
  attempts: Type.Array(exactly(attemptFields)),
});
export const DeliveryItems = named(
  'DeliveryItems',
  exactly({
    data: Type.Array(DeliveryItem),
    skipped: Type.Array(
      exactly({
        destination_id: deliveryFields.destination_id,
        kind: deliveryFields.kind,
        name: deliveryFields.name,
      }),
      {
        description: 'Destinations whose filters the submission did not pass, or for which it was too large.',
      },
    ),
  }),
);
export type DeliveryItems = Static<typeof DeliveryItems>;
export type DeliveryItem = Static<typeof DeliveryItem>;

const phase = (description: string) => nullableInteger({ description });

const seenFields = {
  ...attemptFields,
  remote_address: nullableText({
    description: 'The address that was connected to; null where a host name leads to one that is not public.',
  }),
  timings: exactly({
    dns_ms: phase('Looking the name up; null on an open connection.'),
    connect_ms: phase('Connecting; null on an open connection.'),
    first_byte_ms: phase('From sending the request to the head of the response.'),
  }),
};

/** A delivery with all its details. */
export const DeliveryFull = shape('DeliveryFull', {
  ...deliveryFields,
  submission_id: id('The submission that is delivered.'),
  form_id: id('Its form.'),
  project_id: id('The project that the form was in when this was planned.'),
  in_flight: Type.Boolean({ description: 'It is being sent at this moment.' }),
  created_at: instant('When it was planned.'),
  attempts: Type.Array(exactly(seenFields)),
});
export type DeliveryFull = Static<typeof DeliveryFull>;

const headers = Type.Record(Type.String(), Type.String());

/** An attempt with its request and its response. */
export const AttemptFull = shape('AttemptFull', {
  ...seenFields,
  request: Type.Union(
    [
      exactly({
        method: Type.String(),
        url: Type.String(),
        headers,
        body: Type.String(),
        is_body_cut: Type.Boolean({ description: 'Only the beginning of the body was recorded.' }),
      }),
      Type.Null(),
    ],
    {
      description:
        'What was sent, secrets masked. Null for e-mails, for attempts that were cancelled, and for attempts made before this was recorded.',
    },
  ),
  response_headers: Type.Union([headers, Type.Null()], {
    description:
      'Names in lower case. Those that do not fit into 2 KiB are left out. Null without a response.',
  }),
});
export type AttemptFull = Static<typeof AttemptFull>;

export const AttemptPath = Type.Object({
  id: Type.String({ description: 'The delivery.' }),
  number: Type.String({ description: 'The number of the attempt, from 1.' }),
});

export const DeliveryQuery = exactly({
  ...pageQuery,
  include: Type.Optional(
    Type.Unsafe<'submission_data'>({
      type: 'string',
      enum: ['submission_data'],
      description: 'Adds this field.',
    }),
  ),
  state: Type.Optional(state),
  url: Type.Optional(
    Type.String({ maxLength: 2048, description: 'Only those to this address, as it is set.' }),
  ),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

export const DeliveryListed = shape('DeliveryListed', {
  ...deliveryFields,
  submission_id: id('The submission that is delivered.'),
  form_id: id('Its form.'),
  attempts: Type.Integer({ description: 'How many were made.' }),
  last_status: nullableInteger({
    description: 'HTTP status of the last attempt; null when there was no response.',
  }),
  last_error: nullableText({ description: 'What went wrong in the last attempt.' }),
  last_attempt_at: nullableInstant(
    'When the last attempt began; null when its log is gone, or none was made.',
  ),
  paused_in: Type.Unsafe<SetAsideFolder | null>({
    type: ['string', 'null'],
    enum: [...setAsideFolders, null],
    description:
      'It waits until its submission leaves this folder, and is not tried before; null: it is not paused.',
  }),
  created_at: instant('When it was planned.'),
  submission_data: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description:
        'Only with `include=submission_data`: the submitted fields, reserved ones removed; null when they are longer than 16 KiB.',
    }),
  ),
});
export type DeliveryListed = Static<typeof DeliveryListed>;

export const DeliveryList = named(
  'DeliveryList',
  pageOf(
    DeliveryListed,
    'Send it as `cursor` to get the next page; null on the last page. A page can be short or empty and still have a next one.',
  ),
);
export type DeliveryList = Static<typeof DeliveryList>;

const someIds = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 1_000, description }));

export const RetryDeliveries = shape('RetryDeliveries', {
  ids: someIds('Deliveries. This or submission_ids. Those that are not there are left out.'),
  submission_ids: someIds('Submissions, of which all deliveries that have not arrived are sent again.'),
});
export type RetryDeliveries = Static<typeof RetryDeliveries>;

export const DeliveriesQueued = shape('DeliveriesQueued', {
  queued: Type.Integer({
    description: 'How many are sent again: without those that are being sent, and mails that have arrived.',
  }),
});
export type DeliveriesQueued = Static<typeof DeliveriesQueued>;

export const WebhookTestRequest = shape('WebhookTestRequest', {
  url: Type.Optional(
    Type.String({
      format: 'http-url',
      maxLength: 2048,
      description: 'Instead of the address that is set.',
    }),
  ),
});
export type WebhookTestRequest = Static<typeof WebhookTestRequest>;

export const WebhookTestResult = shape('WebhookTestResult', {
  delivered: Type.Boolean(),
  url: Type.String(),
  status: attemptFields.status,
  duration_ms: Type.Integer(),
  error: attemptFields.error,
  response: attemptFields.response,
});
export type WebhookTestResult = Static<typeof WebhookTestResult>;
