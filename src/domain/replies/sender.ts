/**
 * Decides at send time whether a visitor gets a reply, and composes it. Invariant: however many submissions name however many
 * addresses, no more is sent than the caps allow, even with several processes and after a crash.
 */
import type { Clock } from '../../kernel/clock.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { isAutomaticAddress } from '../../model/autoresponder.js';
import type { DestinationOf } from '../../model/destination.js';
import { addressKey } from '../../model/suppression.js';
import { dayOf } from '../../model/tally.js';
import type { Message } from '../../ports/destination-kind.js';
import type { MailMessage } from '../../ports/mailer.js';
import type { FormAndProject, Store } from '../../ports/store.js';
import type { Links } from '../planning/event.js';
import { composeReply, type MailLayout } from './compose.js';

export interface ReplyDeps {
  readonly store: Pick<Store, 'forms' | 'deliveries' | 'suppressions' | 'mailCaps'>;
  readonly clock: Clock;
  readonly layout: MailLayout;
  readonly links: Links;
  /** The address of MAIL_FROM: a reply to it would come back to us. */
  readonly ownAddress: string | null;
}

type Reply =
  | { readonly mail: MailMessage; readonly formId: string }
  | { readonly end: 'suppressed'; readonly error: string };

export function createReplies(deps: ReplyDeps) {
  const { store, clock } = deps;

  /** Returns the suppression if a cap is reached. Returns null when the reply was counted and may be sent. */
  const reachedCap = async (
    { id, url }: Message,
    { form, project }: FormAndProject,
    { per_day, per_address_per_day }: { per_day: number; per_address_per_day: number },
  ) => {
    const ofForm = { key: `reply form ${form.id}`, most: per_day };
    // Hashed, because it may outlive its submission by a day.
    const address = sha256Hex(`${project.accountId} ${addressKey(url)}`);
    const ofAddress = { key: `reply address ${address}`, most: per_address_per_day };
    // Always in this order, so that concurrent transactions cannot deadlock.
    const full = await store.mailCaps.take(id, dayOf(clock.now()), [ofForm, ofAddress]);
    if (full === null) return null;
    return full.key === ofForm.key
      ? suppressed('form_cap', `${per_day} replies of this form were sent today`)
      : suppressed('address_cap', `${per_address_per_day} replies went to this address today`);
  };

  return async (message: Message, { id, formId }: DestinationOf<'email'>): Promise<Reply> => {
    const [owner, about] = await Promise.all([
      store.forms.findWithProject(formId ?? ''),
      store.deliveries.subject(message.submissionId),
    ]);
    const autoresponder = owner?.form.autoresponder;
    if (!owner || !about || !autoresponder?.enabled)
      return suppressed('switched_off', 'The autoresponder was switched off');
    if (isAutomaticAddress(message.url) || addressKey(message.url) === deps.ownAddress)
      return suppressed('automatic_address', 'Nobody reads mails to this address');
    const [known] = await store.suppressions.among(owner.project.accountId, id, [message.url]);
    if (known) return suppressed('suppressed_address', `${known.reason}. ${known.detail}`.trim());
    const full = await reachedCap(message, owner, autoresponder);
    if (full) return full;
    const input = { mailId: message.id, recipient: message.url, autoresponder, ...owner };
    const mail = composeReply({ ...input, submission: about.submission }, deps.layout, deps.links);
    return { mail, formId: owner.form.id };
  };
}

const suppressed = (reason: string, words: string): Reply & { readonly end: 'suppressed' } => ({
  end: 'suppressed',
  error: `suppressed: ${reason}: ${words}`,
});
