/** What a notification says, before it is written as HTML or as text. All of it is clean and bounded, none escaped. */
import type { MailFrame } from '../../../model/letter.js';

export interface ShownField {
  readonly name: string;
  /** Lines separated by \n; empty for no value. */
  readonly value: string;
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
  readonly recipient: string;
  readonly projectName: string;
  readonly formName: string;
  /** Shown by mail programs beside the subject. */
  readonly preview: string;
  readonly receivedAt: string;
  readonly replyTo: string | null;
  /** Where the submission can be seen. */
  readonly link: string | null;
  readonly facts: readonly Fact[];
}

/** What stands around a notification. */
export const notificationFrame = (frame: Frame): MailFrame => ({
  language: 'en',
  preview: frame.preview,
  overline: frame.projectName,
  heading: frame.formName,
  lead: `New submission, ${frame.receivedAt}`,
  footer: [sentences.care, sentences.why(frame)],
});

/** Sentences that both forms of the mail share. */
export const sentences = {
  replyTo: (address: string) => `Reply to this mail to answer ${address}.`,
  moreFields: (count: number) =>
    `${count === 1 ? '1 more field is' : `${count} more fields are`} not shown here.`,
  moreFiles: (count: number) =>
    `${count === 1 ? '1 more file is' : `${count} more files are`} not shown here.`,
  files: (count: number) => (count === 1 ? '1 file' : `${count} files`),
  noFields: 'The form was sent without any fields.',
  open: 'Open the submission',
  why: ({ recipient, formName, projectName }: Frame) =>
    `You get this mail because ${recipient} is notified of new submissions to ${quoted(formName)} in the project ` +
    `${quoted(projectName)}. To stop it, remove the address from the notifications of the form or the project.`,
  care: 'A visitor of your website wrote what is shown above. Open links and files only if you expect them.',
} as const;

const quoted = (name: string): string => `“${name}”`;
