/** What a snippet is written for, and how its texts are quoted in other languages. */
import type { FieldRule } from '../../../contract/field-rule.js';
import type { Form } from '../../../model/form.js';

export interface SnippetSubject {
  readonly form: Pick<Form, 'publicId' | 'captchaEnabled' | 'captchaProvider' | 'captchaSiteKey'>;
  readonly endpoint: string;
  readonly scriptUrl: string;
  /** What visitors fill in. */
  readonly fields: readonly FieldRule[];
  /** Their inputs, written once for all frameworks. */
  readonly lines: { readonly html: readonly string[]; readonly jsx: readonly string[] };
}

/** Safe inside single quotes in JavaScript and Python, also in a script element. Invisible characters are escaped. */
export const quoted = (text: string): string =>
  `'${text
    .toWellFormed()
    .replace(/[\\']/g, '\\$&')
    .replace(
      // Not those with more than four hex digits, which the two languages write differently.
      /(?=[\0-\uffff])[\p{Cc}\p{Cf}<\u2028\u2029]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )}'`;

export const takesFiles = ({ fields }: SnippetSubject): boolean => fields.some(({ type }) => type === 'file');

/** A comment line that says where the token of a challenge comes from. Empty if the form requires none. */
export function tokenNote({ form }: SnippetSubject, comment: string): readonly string[] {
  if (!form.captchaEnabled) return [];
  const where =
    form.captchaProvider === 'altcha'
      ? 'solve the challenge at <endpoint>/challenge, or let inlet.js do it'
      : 'the token that the widget gives you';
  return [`${comment} This form asks for a CAPTCHA: add its token as _challengeToken (${where}).`];
}

/** Comments about what a program has to add itself. */
export const notes = (subject: SnippetSubject, comment: string): readonly string[] => [
  ...tokenNote(subject, comment),
  ...(subject.fields.some(({ type, required }) => type === 'file' && required)
    ? [`${comment} This form asks for a file: send multipart/form-data instead of JSON.`]
    : []),
];
