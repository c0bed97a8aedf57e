import { type Static, Type } from 'typebox';
import { exactly, instant, shape } from './shapes.js';

/** The names are stored and shown. A name that is no longer used stays, so that old entries remain readable. */
export const rejectionReasons = [
  'origin',
  'sandbox',
  'localhost',
  'inactive',
  'blocked',
  'service_key',
  'rate',
  'captcha',
  'honeypot',
  'size',
  'content_type',
  'plan',
  'webhook_loop',
  'redirect',
  'fields',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

export const calendarDay = Type.String({ format: 'date', description: 'A day of `time_zone`.' });

export const timeZone = Type.Optional(
  Type.String({
    format: 'time-zone',
    maxLength: 64,
    default: 'UTC',
    description:
      'Whose days to count by: a name of the IANA time zone database, such as `Europe/Berlin`. Counts older than 62 days are known by UTC day only.',
  }),
);

export const RejectionQuery = exactly({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, default: 30, description: 'So many days, today included.' }),
  ),
  time_zone: timeZone,
});
export type RejectionQuery = Static<typeof RejectionQuery>;

export const RejectionReport = shape('RejectionReport', {
  days: Type.Array(
    exactly({
      day: calendarDay,
      total: Type.Integer(),
      reasons: Type.Unsafe<Record<RejectionReason, number>>({
        type: 'object',
        additionalProperties: false,
        required: [...rejectionReasons],
        properties: Object.fromEntries(rejectionReasons.map((reason) => [reason, { type: 'integer' }])),
        description: 'How many for each reason.',
      }),
    }),
    { description: 'Oldest first; every day is there.' },
  ),
  examples: Type.Array(
    exactly({
      reason: Type.Unsafe<RejectionReason>({ type: 'string', enum: [...rejectionReasons] }),
      at: instant('When it was refused.'),
      seen: Type.String({ description: 'What was seen, in words, such as the Origin that came.' }),
      ip: Type.String(),
      user_agent: Type.String(),
    }),
    { description: 'Newest first; the last five for each reason, kept for 30 days.' },
  ),
});
export type RejectionReport = Static<typeof RejectionReport>;
