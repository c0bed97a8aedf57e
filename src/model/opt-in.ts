/** Double opt-in: a submission that waits until the person whose address it names has confirmed it. */
import type { Language } from '../kernel/language.js';
import type { Letter } from './letter.js';

export interface OptIn {
  readonly submissionId: string;
  readonly formId: string;
  /** Where the mail with the link goes. */
  readonly address: string;
  /** What the visitor reads. */
  readonly language: Language;
  readonly expiresAt: number;
  /** When the mail server first accepted the mail; null: not yet. */
  readonly sentAt: number | null;
  /** null: it is not confirmed. */
  readonly confirmedAt: number | null;
  /** Of who confirmed it. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** What a confirmation leaves as evidence. */
export interface OptInEvidence {
  readonly confirmedAt: number;
  readonly ip: string;
  readonly userAgent: string;
}

/** Mails that ask for a confirmation, to one address, of all forms of an account. */
export const optInMailsPerDay = 3;

/** Nobody confirms at the same moment, though the clocks of two processes differ. */
export const optInGraceMs = 60 * 60_000;

/** The mail that asks for the confirmation. */
export interface OptInMail {
  readonly optIn: OptIn;
  readonly accountId: string;
  readonly subject: string;
  readonly letter: Letter;
  /** The owner's own; null: the letter's. */
  readonly text: string | null;
  readonly html: string | null;
  readonly fromName: string;
  readonly replyTo: string | null;
}
