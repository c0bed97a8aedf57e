/** What a notification says, before it is written as HTML or as text. All of it is clean and bounded, none escaped. */
import { type Language, languageTags } from '../../../kernel/language.js';
import { isolated } from '../../../kernel/shown-text.js';
import type { MailFrame } from '../../../model/letter.js';
import { mailWords } from './words.js';

export interface ShownField {
  readonly name: string;
  /** Lines separated by \n; empty for no value. */
  readonly value: string;
  /** What stands for no value. */
  readonly empty: string;
  /** A sentence about what is not shown of it. */
  readonly note: string | null;
}

export interface ShownFile {
  readonly filename: string;
  /** "image/png · 1.2 MB · field photo" */
  readonly about: string;
  readonly link: string | null;
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** Everything but fields and files, which are written first to see how many fit. */
export interface Frame {
  readonly language: Language;
  readonly recipient: string;
  readonly projectName: string;
  readonly formName: string;
  /** What the visitor is called; null: not known. */
  readonly sender: string | null;
  /** Shown by mail programs beside the subject. */
  readonly preview: string;
  readonly receivedAt: string;
  /** Whom a reply reaches, if that is the visitor. */
  readonly repliesTo: string | null;
  /** Where the submission can be seen. */
  readonly link: string | null;
  readonly unsubscribeUrl: string | null;
  readonly facts: readonly Fact[];
}

/** What stands around a notification. */
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
