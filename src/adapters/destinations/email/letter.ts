/** A mail of a few sentences and at most one button, such as an alert, in the common layout. */
import type { Letter, MailBodies } from '../../../model/letter.js';
import { buttonHtml, frameHtml, paragraphHtml } from './html.js';
import { buttonText, frameText } from './text.js';

export const composeLetter = (letter: Letter): MailBodies => {
  const { paragraphs, button } = letter;
  return {
    html: frameHtml(
      letter,
      paragraphs.map(paragraphHtml).join('') + (button === null ? '' : buttonHtml(button)),
    ),
    text: frameText(letter, [
      ...paragraphs.map((text) => `${text}\n`),
      button === null ? '' : buttonText(button),
    ]),
  };
};
