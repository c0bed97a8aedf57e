/** A notification mail to one person about one submission. The row is the queue entry. */

export type MailState = 'pending' | 'sent' | 'failed';

export interface Mail {
  readonly id: string;
  readonly submissionId: string;
  readonly formId: string;
  readonly recipient: string;
  readonly state: MailState;
  readonly attempt: number;
  readonly nextAttemptAt: number | null;
  readonly error: string | null;
  readonly createdAt: number;
}

const minuteMs = 60_000;

/** A mail server that is down over night must lose nothing: the last try comes after two days. */
export const mailDelaysMs = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * minuteMs);
