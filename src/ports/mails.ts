/** The queue of mails, as the mail dispatcher drives it. Leases and tokens work as those of deliveries do. */
import type { Mail } from '../model/mail.js';
import type { SubmissionWithFiles } from '../model/submission.js';

export interface MailLease {
  readonly token: string;
  /** The process that sends; it may hold any number of leases. */
  readonly owner: string;
  readonly until: number;
}

export interface MailSubject {
  readonly submission: SubmissionWithFiles;
  readonly formName: string;
  readonly projectName: string;
}

export interface MailStore {
  listBySubmission(submissionId: string): Promise<readonly Mail[]>;
  /** Takes up to `limit` due mails, oldest first; of two who claim a mail, one gets it. */
  claim(limit: number, lease: MailLease, now: number): Promise<readonly Mail[]>;
  /** Counts only while the token is the row's. */
  record(mail: Mail, token: string): Promise<boolean>;
  /** What a mail is about; null when it is deleted. */
  subject(submissionId: string): Promise<MailSubject | null>;
  /** Frees what a process that is gone had claimed, at once; null: all of them. Returns how many. */
  recover(owner: string | null, now: number): Promise<number>;
  /** What is due later than `latest`, because a clock was set back, comes to now. */
  pullBack(latest: number, now: number): Promise<void>;
  /** When the next one is due; null when none waits. */
  nextDueAt(): Promise<number | null>;
}
