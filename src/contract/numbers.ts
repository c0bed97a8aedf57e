import { type Static, Type } from 'typebox';
import { calendarDay, timeZone } from './rejections.js';
import {
  exactly,
  id,
  instant,
  listOf,
  named,
  nullableInstant,
  nullableInteger,
  nullableText,
  shape,
} from './shapes.js';

export const StatsQuery = exactly({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'So many days, today included.' }),
  ),
  time_zone: timeZone,
  form_id: Type.Optional(Type.String({ description: 'Of this form only (id or public_id).' })),
  project_id: Type.Optional(Type.String({ description: 'Of the forms of this project only.' })),
});
export type StatsQuery = Static<typeof StatsQuery>;

const latency = (description: string) => nullableInteger({ description });

const DayDeliveries = shape('DayDeliveries', {
  delivered: Type.Integer({ description: 'Deliveries that arrived.' }),
  waiting: Type.Integer({ description: 'Deliveries that are still to be sent, or sent again.' }),
  paused: Type.Integer({ description: 'Deliveries that wait until their submission leaves spam or trash.' }),
  failed: Type.Integer({ description: 'Deliveries that were given up or cancelled.' }),
});

export const Stats = shape('Stats', {
  days: Type.Array(
    exactly({
      day: calendarDay,
      received: Type.Integer({ description: 'Submissions that were accepted, also those deleted since.' }),
      quarantined: Type.Integer({ description: 'What the honeypot caught.' }),
      refused: Type.Integer({ description: 'Rejected requests.' }),
      delivered: Type.Integer({ description: 'Attempts of that day that succeeded.' }),
      retried: Type.Integer({ description: 'Attempts of that day that failed and are repeated.' }),
      failed: Type.Integer({ description: 'Attempts of that day that failed and were the last.' }),
      deliveries: Type.Union([DayDeliveries, Type.Null()], {
        description:
          'How the deliveries of the submissions of that day stand now, each counted once. Deliveries of deleted submissions are not included. null: more than 100,000 submissions were received since that day.',
      }),
    }),
    { description: 'Oldest first; every day is there.' },
  ),
  delivery_ms: exactly({
    p50: latency(
      'Half of the webhooks that arrived got their response within so many milliseconds; an estimate.',
    ),
    p95: latency('The same for 95 of 100.'),
  }),
});
export type Stats = Static<typeof Stats>;

const attentionKinds = [
  'receiver_failing',
  'sandbox_in_use',
  'quarantine_waiting',
  'disk_low',
  'mail_failing',
  'destination_failing',
  'destination_disabled',
] as const;

const AttentionDestination = shape('AttentionDestination', {
  id: id('The destination.'),
  name: Type.String(),
  failing_since: nullableInstant('When it began to fail.'),
  last_error: nullableText({ description: 'What went wrong last: a class of fault, and what happened.' }),
  waiting: Type.Integer({
    description: 'Deliveries that wait to be sent, without paused ones; at most 10,000 are counted.',
  }),
});

export const AttentionItem = shape('AttentionItem', {
  kind: Type.Unsafe<(typeof attentionKinds)[number]>({ type: 'string', enum: [...attentionKinds] }),
  form_id: nullableText({ description: 'null: it is not about one form.' }),
  form_name: nullableText({}),
  count: Type.Integer({
    description: 'How many: submissions, requests, messages, mails; of a disk, the megabytes that are free.',
  }),
  given_up: Type.Optional(
    Type.Integer({
      description: 'Only of `receiver_failing`: how many of them are not tried again by themselves.',
    }),
  ),
  detail: Type.String({ description: 'In words.' }),
  project_id: nullableText({ format: 'uuid', description: 'null: it is not about one project.' }),
  destination: Type.Union([AttentionDestination, Type.Null()], {
    description: 'null: it is not about one destination.',
  }),
});
export type AttentionItem = Static<typeof AttentionItem>;
export const AttentionList = named('AttentionList', listOf(AttentionItem));
export type AttentionList = Static<typeof AttentionList>;

const operatorsOnly = "null for every account but the operator's, which is the oldest one.";

const InstanceProcess = shape('InstanceProcess', {
  role: Type.Unsafe<'all' | 'api' | 'worker'>({ type: 'string', enum: ['all', 'api', 'worker'] }),
  host: Type.String({ description: 'The name of its machine or container.' }),
  pid: Type.Integer(),
  version: Type.String(),
  started_at: instant('When it began to serve.'),
  seen_at: instant(
    'When it last reported to the database. After 12 seconds of silence it is taken for dead.',
  ),
});

export const InstanceFull = shape('InstanceFull', {
  version: Type.String(),
  node: Type.String({ description: 'The version of Node.js.' }),
  started_at: instant('When the process began to serve.'),
  uptime_s: Type.Integer(),
  database: exactly({
    engine: Type.String(),
    size_bytes: nullableInteger({ description: operatorsOnly }),
  }),
  storage: exactly({
    kind: Type.String(),
    free_bytes: nullableInteger({ description: `null where it is not known. ${operatorsOnly}` }),
  }),
  queue: exactly({
    age_ms: nullableInteger({
      description: `How long the delivery that is due longest has waited, over all accounts. ${operatorsOnly}`,
    }),
    waiting: nullableInteger({
      description: `Deliveries that wait to be sent and are not paused, over all accounts, up to 100,000. ${operatorsOnly}`,
    }),
  }),
  mail: exactly({ is_configured: Type.Boolean() }),
  processes: Type.Union([Type.Array(InstanceProcess), Type.Null()], {
    description: `All processes that serve this instance, in the order of their start. ${operatorsOnly}`,
  }),
  your_ip: Type.String({ description: 'The address that this request came from, as forms see it.' }),
});
export type InstanceFull = Static<typeof InstanceFull>;
