/**
 * The mails for invitations, password resets and address changes. Links begin with the base URL. The token follows the #, which
 * browsers send to no server, so it is in no log.
 */
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Letter, MailBodies } from '../../model/letter.js';
import { type Mailer, ordinaryMail } from '../../ports/mailer.js';

type LinkPage = 'accept-invitation' | 'reset-password' | 'confirm-email';

export interface SignInMails {
  /** False: no mail server is configured. */
  readonly canSend: boolean;
  /** To a page of the dashboard. */
  link(page: LinkPage, token: string): string;
  /** Returns false when the mail server did not accept it, or there is none. */
  send(to: string, words: MailWords): Promise<boolean>;
}

interface MailWords {
  readonly subject: string;
  /** One paragraph each. */
  readonly lines: readonly [string, ...string[]];
  readonly button: Letter['button'];
  /** Why the recipient gets it. */
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
    `You have been invited to the account “${accountName}” on Inlet. Sign in there to see its forms and submissions.`,
    'The link works once and expires after 7 days. Do not forward it: anyone who opens it can accept in your place.',
  ],
  button: { label: 'Accept the invitation', link },
  reason:
    'You received this e-mail because an owner of the account entered your address. If you did not expect it, ignore it.',
});

export const resetWords = (accountNames: readonly string[], link: string): MailWords => ({
  subject: 'Set a new password',
  lines: [
    `Someone requested a new password for signing in to ${accountNames.map((name) => `“${name}”`).join(', ')}.`,
    'The link works once and expires after 60 minutes. A new password signs you out everywhere.',
  ],
  button: { label: 'Set a new password', link },
  reason: 'If this was not you, ignore this e-mail: your password does not change.',
});

export const confirmEmailWords = (link: string): MailWords => ({
  subject: 'Confirm your new e-mail address',
  lines: [
    'You asked to sign in to Inlet with this address from now on.',
    'The link works once and expires after 24 hours. Until you open it, you sign in with your current address.',
  ],
  button: { label: 'Confirm this address', link },
  reason: 'If this was not you, ignore this e-mail: nothing changes.',
});

export const emailChangeWords = (email: string): MailWords => ({
  subject: 'Your e-mail address is about to change',
  lines: [
    `Someone who knows your password asked to sign in with ${email} instead of this address.`,
    'It changes as soon as the link in a mail to the new address is opened.',
    'If this was not you, change your password now. The link then stops working.',
  ],
  button: null,
  reason: 'You received this e-mail because you sign in to Inlet with this address.',
});
