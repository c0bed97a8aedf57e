/** What a visitor reads after a form that was taken. */

import type { Language } from '../../kernel/language.js';
import type { Form } from '../../model/form.js';
import { confirmWords } from './confirm-words.js';
import { type Notice, pageWords } from './page-words.js';

type Thanks = Pick<Form, 'pageTitle' | 'pageText' | 'doubleOptIn'>;

/** The owner's words do not know of the mail: without ours beside them a visitor would wait for nothing. */
export function thanksNotice({ pageTitle, pageText, doubleOptIn }: Thanks, language: Language): Notice {
  const { title, text } = doubleOptIn === null ? pageWords[language].thanks : confirmWords[language].mailSent;
  const own = doubleOptIn !== null && pageText !== null ? `${pageText}\n${text}` : pageText;
  return { title: pageTitle ?? title, text: own ?? text };
}
