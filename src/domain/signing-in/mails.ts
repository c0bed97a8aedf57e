/**
 * The mails by which people get in. Links begin with the base address; a token stands behind the #, which browsers send to
 * no server, so that no log has it.
 */
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Letter, MailBodies } from '../../model/letter.js';
import { type Mailer, ordinaryMail } from '../../ports/mailer.js';

type LinkPage = 'accept-invitation' | 'reset-password' | 'confirm-email';

export interface SignInMails {
  /** False: the operator has set no mail server. */
  readonly canSend: boolean;
  /** To a page of the dashboard. */
  link(page: LinkPage, token: string): string;
  /** False: the mail server did not take it, or there is none. */
  send(to: string, words: MailWords): Promise<boolean>;
}

interface MailWords {
  readonly subject: string;
  /** A paragraph each. */
  readonly lines: readonly [string, ...string[]];
  readonly button: Letter['button'];
  /** Why they get it. */
  readonly reason: string;
}

export function createSignInMails(deps: {
  /** null: no mail server is set. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The layout of all mails. */
  readonly compose: (letter: Letter) => MailBodies;
  readonly onFault: (detail: string) => void;
}): SignInMails {
  const { mailer, clock, baseUrl } = deps;
  return {
    canSend: mailer !== null,
    link: (page, token) => `${baseUrl}/dashboard/${page}#token=${token}`,
    async send(to, { subject, lines, button, reason }) {
      if (!mailer) return false;
      const outcome = await mailer.send({
        ...ordinaryMail,
        ...{ id: newId(clock.now()), to, shownTo: [to], shownCc: [], replyTo: null, subject },
        ...deps.compose({
          language: 'en',
          ...{ preview: lines[0], overline: '', heading: subject, lead: '', paragraphs: lines, button },
          footer: [reason],
        }),
      });
      if (outcome.kind === 'refused') deps.onFault(outcome.detail);
      return outcome.kind === 'sent';
    },
  };
}

export const invitationWords = (accountName: string, link: string): MailWords => ({
  subject: `You are invited to ${accountName}`,
  lines: [
    `You are invited to the account “${accountName}” on Inlet, where its forms and submissions are.`,
    'The link works once, within 7 days. Do not pass it on: anyone who opens it can accept in your place.',
  ],
  button: { label: 'Accept the invitation', link },
  reason:
    'You get this mail because an owner of this account entered your address. If you do not know them, ignore it.',
});

export const resetWords = (accountNames: readonly string[], link: string): MailWords => ({
  subject: 'Set a new password',
  lines: [
    `Somebody asked for a new password for your login to ${accountNames.map((name) => `“${name}”`).join(', ')}.`,
    'The link works once, within 60 minutes. A new password signs you out everywhere.',
  ],
  button: { label: 'Set a new password', link },
  reason: 'If it was not you, ignore this mail: your password stays as it is.',
});

export const confirmEmailWords = (link: string): MailWords => ({
  subject: 'Confirm your new e-mail address',
  lines: [
    'You asked to sign in to Inlet with this address from now on.',
    'The link works once, within 24 hours. Until you open it, you sign in with the address you have now.',
  ],
  button: { label: 'Confirm this address', link },
  reason: 'If it was not you, ignore this mail: nothing changes.',
});

export const emailChangeWords = (email: string): MailWords => ({
  subject: 'Your e-mail address is about to change',
  lines: [
    `Somebody who knows your password asked to sign in with ${email} instead of this address.`,
    'It changes as soon as the link in a mail to the new address is opened.',
    'If it was not you, change your password now: that voids the link.',
  ],
  button: null,
  reason: 'You get this mail because you sign in to this Inlet with this address.',
});
