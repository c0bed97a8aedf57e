import { expect, it } from 'vitest';
import type { Letter } from '../../../model/letter.js';
import { composeLetter } from './letter.js';

const letter: Letter = {
  language: 'en',
  preview: 'Shown beside the subject',
  overline: 'Site',
  heading: 'Failing: <Shop>',
  lead: '',
  paragraphs: ['One & only.', 'Two lines\nof it.'],
  button: { label: 'Open', link: 'https://inlet.test/?a=1&b="2"' },
  footer: ['Why you get this.'],
};

it('is the same letter as text and as HTML, in which no text becomes markup', () => {
  const { html, text } = composeLetter(letter);
  expect(text).toBe(
    'Failing: <Shop>\nSite\n\nOne & only.\n\nTwo lines\nof it.\n\nOpen:\nhttps://inlet.test/?a=1&b="2"\n\n' +
      '-- \nWhy you get this.\n',
  );
  expect(html).toContain('>Failing: &lt;Shop&gt;</h1>');
  expect(html).toContain('One &amp; only.');
  expect(html).toContain('Two lines<br>of it.');
  expect(html).toContain('href="https://inlet.test/?a=1&amp;b=&quot;2&quot;"');
  expect(html).not.toMatch(/<script|src=/);
});

it('leaves out what it does not have', () => {
  const { html, text } = composeLetter({ ...letter, overline: '', paragraphs: [], button: null, footer: [] });
  expect(text).toBe('Failing: <Shop>\n');
  expect(html).not.toContain('<a ');
});
