/** What a snippet is written for, and how its texts are quoted in other languages. */
import type { Form } from '../../../model/form.js';

export interface SnippetSubject {
  readonly form: Pick<Form, 'publicId' | 'captchaEnabled' | 'captchaProvider' | 'captchaSiteKey'>;
  readonly endpoint: string;
  readonly scriptUrl: string;
  readonly takesFiles: boolean;
}

/** Inside single quotes of JavaScript, PHP or Python, and of a script element. An endpoint holds no `<`, which PHP would write otherwise. */
export const quoted = (text: string): string =>
  `'${text
    .replace(/[\\']/g, '\\$&')
    .replace(/</g, '\\x3c')
    .replace(/[\r\n]/g, ' ')}'`;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const attribute = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);

/** Where the token of a challenge comes from, in a line of its own; nothing where the form asks for none. */
export function tokenNote({ form }: SnippetSubject, comment: string): readonly string[] {
  if (!form.captchaEnabled) return [];
  const where =
    form.captchaProvider === 'altcha'
      ? 'solve the challenge at <endpoint>/challenge, or let inlet.js do it'
      : 'the token that the widget gives you';
  return [`${comment} This form asks for a CAPTCHA: add its token as _challengeToken (${where}).`];
}
