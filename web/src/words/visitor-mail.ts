/** E-mails to visitors, in a form's settings: the automatic reply, and the request to confirm an address. */
import type { ReactNode } from 'react';
import type { SuppressedReplyReason } from '../wire.js';
import { count, formatNumber } from './format.js';
import { sentence } from './sentence.js';

export const replyDescription = (suppressed: ReactNode): ReactNode =>
  sentence`An e-mail to the visitor as soon as the submission is stored. Submissions in quarantine get none, nor do ${suppressed}.`;
export const suppressedAddresses = 'suppressed addresses';
export const sendReply = 'Reply to visitors automatically';
export const addressField = 'Field with the address';
export const addressFieldDescription = 'The name of the input in which visitors enter their e-mail address.';
export const fromName = 'Sender name';
export const fromNameReply = 'Empty uses the name of the mail server’s sender.';
export const replyTo = 'Replies go to';
export const replyToDescription = 'An address of yours. Empty uses the address of the sender.';
export const perAddress = 'Replies to one address per day';
export const perForm = 'Replies of this form per day';
export const usualSubject = 'We received your message';
export const usualText =
  'Hello,\n\nthank you for your message. We received it and will reply as soon as we can.';

export const optInDescription =
  'Visitors confirm their address with a link in an e-mail. Until then a submission is unconfirmed: it is not counted, delivered or notified.';
export const askToConfirm = 'Ask visitors to confirm their address';
export const needsAddress = 'Submissions without a valid address in this field are rejected.';
export const ownSubject = 'Empty uses a subject in the visitor’s language.';
export const ownText =
  'Empty uses a text in the visitor’s language. Yours must contain {{confirm_url}}, the link that confirms.';
export const ownHtml = 'Empty makes it from the text. Yours must contain {{confirm_url}} too.';
export const fromNameOptIn = 'Empty uses the name of the project.';
export const expiresDays = 'The link works for';
export const expiresDaysDescription = 'Submissions that are not confirmed by then are deleted.';

// Replies that were not sent
export const notSent = (n: number): string =>
  count(n, {
    one: '# reply was not sent in the last 30 days',
    other: '# replies were not sent in the last 30 days',
  });
export const notSentReasons: Readonly<Record<SuppressedReplyReason, string>> = {
  address_cap: 'Limit of replies to one address per day reached',
  form_cap: 'Limit of replies of this form per day reached',
  suppressed_address: 'Suppressed address',
  bounced: 'The mail server does not know the address',
  automatic_address: 'Address of a program, such as no-reply',
  no_mail_server: 'No mail server was set',
  switched_off: 'The automatic reply was off',
};
/** With the current limit. */
export const notSentBecause = (
  reason: SuppressedReplyReason,
  caps: { readonly per_address_per_day: number; readonly per_day: number },
): string => {
  if (reason === 'address_cap')
    return `${notSentReasons[reason]} (now ${formatNumber(caps.per_address_per_day)})`;
  if (reason === 'form_cap') return `${notSentReasons[reason]} (now ${formatNumber(caps.per_day)})`;
  return notSentReasons[reason];
};
export const seeSuppressed = 'See suppressed addresses';
