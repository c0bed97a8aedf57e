/** The form as a component of each framework: it sends without leaving the page, and says what came of it. */
import { fields, indented } from './markup.js';
import { quoted, type SnippetSubject, tokenNote } from './subject.js';

const thanks = 'Thank you. Your message has been received.';
const failed = 'That did not work. Please try again.';

/** `set`: the statement that says how far it is, in the words of the framework. */
const sendFunction = (set: (state: string) => string): readonly string[] => [
  'async function send(event) {',
  '  event.preventDefault();',
  '  const data = new FormData(event.currentTarget);',
  "  data.set('_page', location.href);",
  `  ${set("'sending'")};`,
  '  try {',
  '    const response = await fetch(endpoint, {',
  "      method: 'POST',",
  "      headers: { Accept: 'application/json' },",
  '      body: data,',
  '    });',
  `    ${set("response.ok ? 'sent' : 'failed'")};`,
  '  } catch {',
  `    ${set("'failed'")};`,
  '  }',
  '}',
];

const endpointLines = (subject: SnippetSubject): readonly string[] => [
  `const endpoint = ${quoted(subject.endpoint)};`,
  ...tokenNote(subject, '//'),
];

/** As JSX writes it: other names of attributes, and every element closed. */
const jsxFields = (takesFiles: boolean): readonly string[] =>
  fields(takesFiles).map((line) =>
    line
      .replace(
        'style="position: absolute; left: -9999px"',
        "style={{ position: 'absolute', left: '-9999px' }}",
      )
      .replace('tabindex="-1"', 'tabIndex={-1}')
      .replaceAll('autocomplete=', 'autoComplete=')
      .replace('></textarea>', ' />')
      .replace(/(<input [^>]*)>/, '$1 />'),
  );

export const react = (subject: SnippetSubject): string =>
  [
    "import { useState } from 'react';",
    '',
    ...endpointLines(subject),
    '',
    'export function ContactForm() {',
    "  const [state, setState] = useState('idle');",
    '',
    ...indented(
      sendFunction((state) => `setState(${state})`),
      '  ',
    ),
    '',
    `  if (state === 'sent') return <p role="status">${thanks}</p>;`,
    '  return (',
    '    <form onSubmit={send}>',
    ...indented(jsxFields(subject.takesFiles), '      '),
    "      <button disabled={state === 'sending'}>Send</button>",
    `      {state === 'failed' && <p role="alert">${failed}</p>}`,
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
    '',
    ...sendFunction((status) => `status.value = ${status}`),
    '</script>',
    '',
    '<template>',
    `  <p v-if="status === 'sent'" role="status">${thanks}</p>`,
    '  <form v-else @submit="send">',
    ...indented(fields(subject.takesFiles), '    '),
    '    <button :disabled="status === \'sending\'">Send</button>',
    `    <p v-if="status === 'failed'" role="alert">${failed}</p>`,
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
    '',
    ...indented(
      sendFunction((status) => `status = ${status}`),
      '  ',
    ),
    '</script>',
    '',
    "{#if status === 'sent'}",
    `  <p role="status">${thanks}</p>`,
    '{:else}',
    '  <form onsubmit={send}>',
    ...indented(fields(subject.takesFiles), '    '),
    "    <button disabled={status === 'sending'}>Send</button>",
    "    {#if status === 'failed'}",
    `      <p role="alert">${failed}</p>`,
    '    {/if}',
    '  </form>',
    '{/if}',
    '',
  ].join('\n');
