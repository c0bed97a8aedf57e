/**
 * Sends one mail to one person.
 *
 * - `sent` means that the server took the responsibility for it.
 * - `send` resolves for everything that a mail server can say or do, within the time it was given.
 * - No text in a message can become a header or a second recipient.
 */
export interface MailMessage {
  /** The same for every try, so that a receiving system can tell a repeated mail. */
  readonly id: string;
  readonly to: string;
  /** What its heads say, where others get a mail of their own about the same: they need not name `to`. */
  readonly shownTo: readonly string[];
  readonly shownCc: readonly string[];
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Shown instead of the name in MAIL_FROM; the address stays. null: the name that is set there. */
  readonly fromName: string | null;
  /** Mails with the same one are a conversation in mail programs. */
  readonly references: string | null;
  /** RFC 3834: `auto-replied` for what responds to a visitor. */
  readonly autoSubmitted: 'auto-generated' | 'auto-replied';
  /** A POST to it ends these mails to `to` (RFC 8058); null: there is nothing to unsubscribe from. */
  readonly unsubscribeUrl: string | null;
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly filename: string;
  readonly type: string;
  /** Called when the mail has its turn, so that no more is in memory than is being sent. */
  read(): Promise<Uint8Array>;
}

/** What most mails have nothing to say of. */
export const ordinaryMail = {
  fromName: null,
  references: null,
  autoSubmitted: 'auto-generated',
  unsubscribeUrl: null,
  attachments: [],
} as const satisfies Partial<MailMessage>;

/** Why nothing is sent where the operator has set no mail server. */
export const noMailServer = 'no_mail_server: The operator has set no mail server (SMTP_URL, MAIL_FROM)';

export type MailOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'refused';
      /** The server will say the same tomorrow (5xx to this recipient or content). */
      readonly permanent: boolean;
      /** A hard bounce: there is no such mailbox, whatever is sent to it. */
      readonly isNoMailbox: boolean;
      readonly detail: string;
    };

export interface Mailer {
  send(message: MailMessage): Promise<MailOutcome>;
  /** Resolves when the server can be reached and takes our credentials. */
  check(): Promise<void>;
  /** Ends the connections of the mails under way, whose `send` then tells that they were not sent. */
  cutOff(): void;
  /** Waits for the mails under way. */
  close(): Promise<void>;
}
