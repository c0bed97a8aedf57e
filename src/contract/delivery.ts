import { Type } from 'typebox';
import { exactly, id, instant, nullableInstant, nullableInteger, nullableText } from './shapes.js';

export const DeliveryItem = exactly({
  id: id('The delivery.'),
  target: Type.Unsafe<'form' | 'project'>({ type: 'string', enum: ['form', 'project'] }),
  url: Type.String(),
  state: Type.Unsafe<'pending' | 'delivered' | 'failed'>({
    type: 'string',
    enum: ['pending', 'delivered', 'failed'],
  }),
  next_attempt_at: nullableInstant('When it is tried next; null when it is not.'),
  attempts: Type.Array(
    exactly({
      number: Type.Integer(),
      at: instant('When the attempt began.'),
      trigger: Type.Unsafe<'auto' | 'manual'>({ type: 'string', enum: ['auto', 'manual'] }),
      status: nullableInteger({ description: 'HTTP status of the answer; null when there was none.' }),
      duration_ms: Type.Integer(),
      error: nullableText({}),
      response: nullableText({ description: 'The beginning of the answer.' }),
    }),
  ),
});
