/**
 * Pure: code that people copy into their pages and programs, with the form's own address in it. What must stay true: pasted as it
 * is, each of them works.
 */
import { next, react, svelte, vue } from './components.js';
import { astro, html } from './markup.js';
import { curl, fetchCode, php, python } from './programs.js';
import type { SnippetSubject } from './subject.js';

export interface Snippet {
  readonly name: string;
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

export const snippetsOf = (subject: SnippetSubject): readonly Snippet[] => [
  { name: 'html', title: 'HTML', language: 'html', code: html(subject) },
  { name: 'fetch', title: 'JavaScript (fetch)', language: 'javascript', code: fetchCode(subject) },
  { name: 'react', title: 'React', language: 'jsx', code: react(subject) },
  { name: 'next', title: 'Next.js', language: 'jsx', code: next(subject) },
  { name: 'vue', title: 'Vue', language: 'vue', code: vue(subject) },
  { name: 'svelte', title: 'Svelte', language: 'svelte', code: svelte(subject) },
  { name: 'astro', title: 'Astro', language: 'astro', code: astro(subject) },
  { name: 'php', title: 'PHP', language: 'php', code: php(subject) },
  { name: 'python', title: 'Python', language: 'python', code: python(subject) },
  { name: 'curl', title: 'curl', language: 'bash', code: curl(subject) },
];
