/** Double opt-in: a submission that waits until the owner of the address in it has confirmed it. */
import type { Language } from '../kernel/language.js';
import type { Letter } from './letter.js';

export interface OptIn {
  readonly submissionId: string;
  readonly formId: string;
  /** The recipient of the mail with the link. */
  readonly address: string;
  /** The language of the visitor. */
  readonly language: Language;
  readonly expiresAt: number;
  /** When the mail server first accepted the mail. null: not yet. */
  readonly sentAt: number | null;
  /** null: not confirmed. */
  readonly confirmedAt: number | null;
  /** Of the client that confirmed it. */
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** What is stored as evidence of a confirmation. */
export interface OptInEvidence {
  readonly confirmedAt: number;
  readonly ip: string;
  readonly userAgent: string;
}

/** Confirmation mails to one address, from all forms of an account together. */
export const optInMailsPerDay = 3;

/** Expired submissions are deleted this much later, so that none is being confirmed then, even if the clocks of processes differ. */
export const optInGraceMs = 60 * 60_000;

/** The mail that asks for the confirmation. */
export interface OptInMail {
  readonly optIn: OptIn;
  readonly accountId: string;
  readonly subject: string;
  readonly letter: Letter;
  /** Written by the owner. null: those of the letter. */
  readonly text: string | null;
  readonly html: string | null;
  readonly fromName: string;
  readonly replyTo: string | null;
}
