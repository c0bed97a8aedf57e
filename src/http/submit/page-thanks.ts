/** What a visitor reads after an accepted submission. */

import type { Language } from '../../kernel/language.js';
import type { Form } from '../../model/form.js';
import { confirmWords } from './confirm-words.js';
import { type Notice, pageWords } from './page-words.js';

type Thanks = Pick<Form, 'pageTitle' | 'pageText' | 'doubleOptIn'>;

/** The owner's text does not mention the confirmation mail: without ours below it, visitors would not know to open the link. */
export function thanksNotice({ pageTitle, pageText, doubleOptIn }: Thanks, language: Language): Notice {
  const { title, text } = doubleOptIn === null ? pageWords[language].thanks : confirmWords[language].mailSent;
  const own = doubleOptIn !== null && pageText !== null ? `${pageText}\n${text}` : pageText;
  return { title: pageTitle ?? title, text: own ?? text };
}
