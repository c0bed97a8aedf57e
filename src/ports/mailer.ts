/**
 * Sends one mail to one recipient.
 *
 * - `sent` means that the server has taken responsibility for it.
 * - `send` resolves within its timeout, whatever the mail server says or does.
 * - No text in a message can become a header or a second recipient.
 */
export interface MailMessage {
  /** The same for every attempt, so that a receiving system can recognize a repeated mail. */
  readonly id: string;
  readonly to: string;
  /** What the headers show when others get their own mail about the same thing: they need not include `to`. */
  readonly shownTo: readonly string[];
  readonly shownCc: readonly string[];
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Shown instead of the name in MAIL_FROM; the address stays. null for the name that is set there. */
  readonly fromName: string | null;
  /** Mail programs show mails with the same value as one conversation. */
  readonly references: string | null;
  /** RFC 3834: `auto-replied` for replies to a visitor. */
  readonly autoSubmitted: 'auto-generated' | 'auto-replied';
  /** A POST to it stops these mails to `to` (RFC 8058); null when there is nothing to unsubscribe from. */
  readonly unsubscribeUrl: string | null;
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly filename: string;
  readonly type: string;
  /** Called when the mail is about to be sent, so that only attachments being sent are in memory. */
  read(): Promise<Uint8Array>;
}

/** Defaults for what most mails do not need. */
export const ordinaryMail = {
  fromName: null,
  references: null,
  autoSubmitted: 'auto-generated',
  unsubscribeUrl: null,
  attachments: [],
} as const satisfies Partial<MailMessage>;

/** Why nothing is sent when the operator has set no mail server. */
export const noMailServer = 'no_mail_server: The operator has set no mail server (SMTP_URL, MAIL_FROM)';

export type MailOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'refused';
      /** A retry will get the same response (5xx to this recipient or content). */
      readonly permanent: boolean;
      /** A hard bounce: there is no such mailbox, whatever the content. */
      readonly isNoMailbox: boolean;
      readonly detail: string;
    };

export interface Mailer {
  send(message: MailMessage): Promise<MailOutcome>;
  /** Resolves when the server can be reached and accepts our credentials. */
  check(): Promise<void>;
  /** Closes the connections of mails in flight; their `send` then reports that they were not sent. */
  cutOff(): void;
  /** Waits for mails in flight. */
  close(): Promise<void>;
}
