/** The form as a component of each framework. It submits without leaving the page and shows the result. */
import { quoted, type SnippetSubject, tokenNote } from './subject.js';
import { indented } from './writing.js';

const thanks = 'Thank you. Your message has been received.';
const failed = 'That did not work. Please try again.';

/** How a framework sets a state variable. */
type Set = (name: 'status' | 'problems', value: string) => string;

const sendFunction = (set: Set): readonly string[] => [
  'async function send(event) {',
  '  event.preventDefault();',
  '  const data = new FormData(event.currentTarget);',
  "  data.set('_page', location.href);",
  `  ${set('status', "'sending'")};`,
  `  ${set('problems', '[]')};`,
  '  try {',
  '    const response = await fetch(endpoint, {',
  "      method: 'POST',",
  "      headers: { Accept: 'application/json' },",
  '      body: data,',
  '    });',
  '    // What is wrong with which field, if the form has rules.',
  '    const { fields = [] } = await response.json();',
  `    ${set('problems', "fields.map(({ field, message }) => [field, message].join(': '))")};`,
  `    ${set('status', "response.ok ? 'sent' : 'failed'")};`,
  '  } catch {',
  `    ${set('status', "'failed'")};`,
  '  }',
  '}',
];

/** The expression for the failure message. */
const problem = `problems.join(' ') || '${failed}'`;

const endpointLines = (subject: SnippetSubject): readonly string[] => [
  `const endpoint = ${quoted(subject.endpoint)};`,
  ...tokenNote(subject, '//'),
];

export const react = (subject: SnippetSubject): string =>
  [
    "import { useState } from 'react';",
    '',
    ...endpointLines(subject),
    '',
    'export function ContactForm() {',
    "  const [status, setStatus] = useState('idle');",
    '  const [problems, setProblems] = useState([]);',
    '',
    ...indented(
      sendFunction((name, value) => (name === 'status' ? `setStatus(${value})` : `setProblems(${value})`)),
      '  ',
    ),
    '',
    `  if (status === 'sent') return <p role="status">${thanks}</p>;`,
    '  return (',
    '    <form onSubmit={send}>',
    ...indented(subject.lines.jsx, '      '),
    "      <button disabled={status === 'sending'}>Send</button>",
    `      {status === 'failed' && <p role="alert">{${problem}}</p>}`,
    '    </form>',
    '  );',
    '}',
    '',
  ].join('\n');

export const next = (subject: SnippetSubject): string =>
  [
    '// app/contact/contact-form.jsx; use it in a page: <ContactForm />',
    "'use client';",
    '',
    react(subject),
  ].join('\n');

export const vue = (subject: SnippetSubject): string =>
  [
    '<!-- ContactForm.vue -->',
    '<script setup>',
    "import { ref } from 'vue';",
    '',
    ...endpointLines(subject),
    "const status = ref('idle');",
    'const problems = ref([]);',
    '',
    ...sendFunction((name, value) => `${name}.value = ${value}`),
    '</script>',
    '',
    '<template>',
    `  <p v-if="status === 'sent'" role="status">${thanks}</p>`,
    '  <form v-else @submit="send">',
    ...indented(subject.lines.html, '    '),
    '    <button :disabled="status === \'sending\'">Send</button>',
    `    <p v-if="status === 'failed'" role="alert">{{ ${problem} }}</p>`,
    '  </form>',
    '</template>',
    '',
  ].join('\n');

export const svelte = (subject: SnippetSubject): string =>
  [
    '<!-- ContactForm.svelte -->',
    '<script>',
    ...indented(endpointLines(subject), '  '),
    "  let status = $state('idle');",
    '  let problems = $state([]);',
    '',
    ...indented(
      sendFunction((name, value) => `${name} = ${value}`),
      '  ',
    ),
    '</script>',
    '',
    "{#if status === 'sent'}",
    `  <p role="status">${thanks}</p>`,
    '{:else}',
    '  <form onsubmit={send}>',
    ...indented(subject.lines.html, '    '),
    "    <button disabled={status === 'sending'}>Send</button>",
    "    {#if status === 'failed'}",
    `      <p role="alert">{${problem}}</p>`,
    '    {/if}',
    '  </form>',
    '{/if}',
    '',
  ].join('\n');
