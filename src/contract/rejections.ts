import { type Static, Type } from 'typebox';
import { exactly, instant, shape } from './shapes.js';

/** As src/model/rejections.ts has them: the compiler sees where one is missing. */
const reasons = [
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
] as const;
type Reason = (typeof reasons)[number];

export const utcDay = Type.String({ format: 'date', description: 'A UTC day.' });

export const RejectionQuery = exactly({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, default: 30, description: 'So many days, today included.' }),
  ),
});
export type RejectionQuery = Static<typeof RejectionQuery>;

export const RejectionReport = shape('RejectionReport', {
  days: Type.Array(
    exactly({
      day: utcDay,
      total: Type.Integer(),
      reasons: Type.Unsafe<Record<Reason, number>>({
        type: 'object',
        additionalProperties: false,
        required: [...reasons],
        properties: Object.fromEntries(reasons.map((reason) => [reason, { type: 'integer' }])),
        description: 'How many for each reason.',
      }),
    }),
    { description: 'Oldest first; every day is there.' },
  ),
  examples: Type.Array(
    exactly({
      reason: Type.Unsafe<Reason>({ type: 'string', enum: [...reasons] }),
      at: instant('When it was refused.'),
      seen: Type.String({ description: 'What was seen, in words, such as the Origin that came.' }),
      ip: Type.String(),
      user_agent: Type.String(),
    }),
    { description: 'Newest first; the last five for each reason, kept for 30 days.' },
  ),
});
export type RejectionReport = Static<typeof RejectionReport>;
