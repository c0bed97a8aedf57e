/**
 * Code that users copy into their pages and programs, with the form's own address in it. What must stay true: each snippet
 * works as pasted.
 */
import { createPace } from '../../../kernel/pace.js';
import { next, react, svelte, vue } from './components.js';
import { formElements } from './elements.js';
import { astro, html } from './markup.js';
import { curl, fetchCode, php, python } from './programs.js';
import type { SnippetSubject } from './subject.js';
import { htmlLines, jsxLines } from './writing.js';

export interface Snippet {
  readonly name: string;
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

const writers: readonly (Omit<Snippet, 'code'> & { readonly write: (subject: SnippetSubject) => string })[] =
  [
    { name: 'html', title: 'HTML', language: 'html', write: html },
    { name: 'fetch', title: 'JavaScript (fetch)', language: 'javascript', write: fetchCode },
    { name: 'react', title: 'React', language: 'jsx', write: react },
    { name: 'next', title: 'Next.js', language: 'jsx', write: next },
    { name: 'vue', title: 'Vue', language: 'vue', write: vue },
    { name: 'svelte', title: 'Svelte', language: 'svelte', write: svelte },
    { name: 'astro', title: 'Astro', language: 'astro', write: astro },
    { name: 'php', title: 'PHP', language: 'php', write: php },
    { name: 'python', title: 'Python', language: 'python', write: python },
    { name: 'curl', title: 'curl', language: 'bash', write: curl },
  ];

/** Yields to the event loop between pieces: the inputs of a form may have 16,000 choices. */
export async function snippetsOf(subject: Omit<SnippetSubject, 'lines'>): Promise<readonly Snippet[]> {
  const pace = createPace();
  const lines: { html: string[]; jsx: string[] } = { html: [], jsx: [] };
  for (const element of formElements(subject.fields)) {
    if (pace.isOver()) await pace.rest();
    lines.html.push(...htmlLines(element));
    lines.jsx.push(...jsxLines(element));
  }
  const snippets: Snippet[] = [];
  for (const { write, ...named } of writers) {
    if (pace.isOver()) await pace.rest();
    snippets.push({ ...named, code: write({ ...subject, lines }) });
  }
  return snippets;
}
