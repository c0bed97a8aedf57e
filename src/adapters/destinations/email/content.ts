/** The content of a notification before it is rendered as HTML or text. Clean and limited in length, but not escaped. */
import { type Language, languageTags } from '../../../kernel/language.js';
import { isolated } from '../../../kernel/shown-text.js';
import type { MailFrame } from '../../../model/letter.js';
import { mailWords } from './words.js';

export interface ShownField {
  readonly name: string;
  /** Lines separated by \n; empty for no value. */
  readonly value: string;
  /** Shown in place of an empty value. */
  readonly empty: string;
  /** A sentence about the part that is not shown. */
  readonly note: string | null;
}

export interface ShownFile {
  readonly filename: string;
  /** "image/png, 1.2 MB, field photo" */
  readonly about: string;
  readonly link: string | null;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Everything but fields and files. Those are rendered first to see how many fit. */
export interface Frame {
  readonly language: Language;
  readonly recipient: string;
  readonly projectName: string;
  readonly formName: string;
  /** The visitor's name or address, or null if unknown. */
  readonly sender: string | null;
  /** Shown by mail programs beside the subject. */
  readonly preview: string;
  readonly receivedAt: string;
  /** The visitor's address if replies go there, else null. */
  readonly repliesTo: string | null;
  /** The submission's page in the dashboard. */
  readonly link: string | null;
  readonly unsubscribeUrl: string | null;
  readonly facts: readonly Fact[];
}

export const notificationFrame = (frame: Frame): MailFrame => {
  const { language, preview, recipient, formName, projectName, sender, receivedAt } = frame;
  const words = mailWords[language];
  return {
    language: languageTags[language],
    preview,
    overline: projectName,
    heading: formName,
    lead: words.lead(sender === null ? null : isolated(sender), receivedAt),
    footer: [words.care, words.why(recipient, isolated(formName), isolated(projectName))],
  };
};
