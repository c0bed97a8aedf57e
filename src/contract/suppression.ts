import { type Static, Type } from 'typebox';
import { calendarDay } from './rejections.js';
import { exactly, id, instant, named, nullableText, pageOf, pageQuery, shape } from './shapes.js';

/** Why an address gets no more mail: it does not exist, or its owner unsubscribed or complained. */
const suppressionReasons = ['bounced', 'unsubscribed', 'complained'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export const SuppressedAddressItem = shape('SuppressedAddress', {
  id: id('The entry.'),
  address: Type.String({ description: 'In lower case.' }),
  reason: Type.Unsafe<SuppressionReason>({ type: 'string', enum: [...suppressionReasons] }),
  detail: Type.String({ description: 'What the mail server said; empty where nothing was said.' }),
  destination_id: nullableText({
    format: 'uuid',
    description: 'The only destination that this is about; null: no mail of the account goes there.',
  }),
  created_at: instant('Since when.'),
});
export type SuppressedAddressItem = Static<typeof SuppressedAddressItem>;

export const SuppressedAddressList = named('SuppressedAddressList', pageOf(SuppressedAddressItem));
export type SuppressedAddressList = Static<typeof SuppressedAddressList>;

export const SuppressedAddressQuery = exactly({
  ...pageQuery,
  address: Type.Optional(
    Type.String({ maxLength: 254, description: 'Only this address, however it is spelt.' }),
  ),
});

/** Why a reply to a visitor was not sent. The names are stored. */
export const suppressedReplyReasons = [
  'address_cap',
  'form_cap',
  'suppressed_address',
  'bounced',
  'automatic_address',
  'no_mail_server',
  'switched_off',
] as const;
export type SuppressedReplyReason = (typeof suppressedReplyReasons)[number];

export const SuppressedReplies = shape('SuppressedReplies', {
  days: Type.Array(
    exactly({
      day: calendarDay,
      total: Type.Integer(),
      reasons: Type.Unsafe<Record<SuppressedReplyReason, number>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: suppressedReplyReasons.join(', '),
      }),
    }),
    { description: 'Oldest first; every day is there.' },
  ),
});
export type SuppressedReplies = Static<typeof SuppressedReplies>;
