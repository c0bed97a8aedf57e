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
}

export type MailOutcome =
  | { readonly kind: 'sent' }
  /** `permanent`: the server will say the same tomorrow (5xx to this recipient or content). */
  | { readonly kind: 'refused'; readonly permanent: boolean; readonly detail: string };

export interface Mailer {
  send(message: MailMessage): Promise<MailOutcome>;
  /** Resolves when the server can be reached and takes our credentials. */
  check(): Promise<void>;
  /** Ends the connections of the mails under way, whose `send` then tells that they were not sent. */
  cutOff(): void;
  /** Waits for the mails under way. */
  close(): Promise<void>;
}
