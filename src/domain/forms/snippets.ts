/**
 * Pure: code that people copy into their pages, with the form's own address in it. What must stay true: pasted as it is, each
 * of them works; the honeypot is invisible to people, to screen readers and to the browser's autofill, which would otherwise
 * fill it in and turn a person into a robot.
 */
import type { Form } from '../../model/form.js';

export interface Snippet {
  readonly name: 'html' | 'fetch' | 'react' | 'astro' | 'curl';
  readonly title: string;
  readonly language: 'html' | 'javascript' | 'jsx' | 'astro' | 'bash';
  readonly code: string;
}

export interface SnippetSubject {
  readonly form: Pick<Form, 'publicId' | 'captchaEnabled' | 'captchaProvider' | 'captchaSiteKey'>;
  readonly endpoint: string;
  readonly scriptUrl: string;
  readonly takesFiles: boolean;
}

/** Where each provider's widget comes from, and the element it fills. */
const widgets = {
  turnstile: { script: 'https://challenges.cloudflare.com/turnstile/v0/api.js', mark: 'cf-turnstile' },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js', mark: 'h-captcha' },
  recaptcha: { script: 'https://www.google.com/recaptcha/api.js', mark: 'g-recaptcha' },
} as const;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const attribute = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => escapes[character] ?? character);

/** Inside single quotes of JavaScript, and of a script element. */
const quoted = (text: string): string =>
  `'${text
    .replace(/[\\']/g, '\\$&')
    .replace(/</g, '\\x3c')
    .replace(/[\r\n]/g, ' ')}'`;

/** A field that only a robot fills in: far outside the page, named like nothing that a browser remembers. */
const trap = (indent: string): string =>
  [
    '<div style="position: absolute; left: -9999px" aria-hidden="true">',
    '  <label>Leave this empty <input type="text" name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label>',
    '</div>',
  ].join(`\n${indent}`);

interface Widget {
  readonly script: string;
  readonly mark: string;
  readonly siteKey: string;
}

function widgetOf({
  captchaEnabled,
  captchaProvider,
  captchaSiteKey,
}: SnippetSubject['form']): Widget | null {
  if (!captchaEnabled || captchaProvider === 'altcha') return null;
  return { ...widgets[captchaProvider], siteKey: captchaSiteKey ?? 'YOUR_SITE_KEY' };
}

const solvesChallenge = ({ form }: SnippetSubject): boolean =>
  form.captchaEnabled && form.captchaProvider === 'altcha';

/** `page`: the value of the field that names the page. Where it is missing, the script adds the field. */
function html(subject: SnippetSubject, page: string | null = null): string {
  const { endpoint, takesFiles, scriptUrl, form } = subject;
  const widget = widgetOf(form);
  const upload = takesFiles ? ' enctype="multipart/form-data"' : '';
  const challenge = solvesChallenge(subject) ? ' data-challenge' : '';
  return [
    `<form action="${attribute(endpoint)}" method="post"${upload}${challenge}>`,
    '  <label>Name <input name="name" autocomplete="name" required></label>',
    '  <label>E-mail <input type="email" name="email" autocomplete="email" required></label>',
    '  <label>Message <textarea name="message" required></textarea></label>',
    ...(takesFiles ? ['  <label>File <input type="file" name="file"></label>'] : []),
    `  ${trap('  ')}`,
    ...(page === null ? [] : [`  <input type="hidden" name="_page" value=${page}>`]),
    ...(widget ? [`  <div class="${widget.mark}" data-sitekey="${attribute(widget.siteKey)}"></div>`] : []),
    '  <button type="submit">Send</button>',
    '</form>',
    ...(widget ? [`<script src="${widget.script}" async defer></script>`] : []),
    ...(solvesChallenge(subject)
      ? ['<!-- Solves the challenge in the background; this form needs it. -->']
      : ['<!-- Optional: sends the form without leaving the page. -->']),
    `<script src="${attribute(scriptUrl)}" defer></script>`,
    '',
  ].join('\n');
}

const tokenNote = ({ form }: SnippetSubject): readonly string[] => {
  if (!form.captchaEnabled) return [];
  const where =
    form.captchaProvider === 'altcha'
      ? 'solve the challenge at <endpoint>/challenge, or let inlet.js do it'
      : 'the token that the widget gives you';
  return [`// This form asks for a CAPTCHA: add its token as _challengeToken (${where}).`];
};

const fetchCode = (subject: SnippetSubject): string =>
  [
    ...tokenNote(subject),
    `const response = await fetch(${quoted(subject.endpoint)}, {`,
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json' },",
    '  body: JSON.stringify({',
    "    name: 'Ada Lovelace',",
    "    email: 'ada@example.com',",
    "    message: 'Hello',",
    '    _page: location.href,',
    '  }),',
    '});',
    'const result = await response.json();',
    'if (!response.ok) throw new Error(result.error);',
    'console.log(result.submission_id);',
    '',
  ].join('\n');

const react = (subject: SnippetSubject): string =>
  [
    "import { useState } from 'react';",
    '',
    `const endpoint = ${quoted(subject.endpoint)};`,
    ...tokenNote(subject),
    '',
    'export function ContactForm() {',
    "  const [state, setState] = useState('idle');",
    '',
    '  async function send(event) {',
    '    event.preventDefault();',
    '    const data = new FormData(event.currentTarget);',
    "    data.set('_page', location.href);",
    "    setState('sending');",
    '    try {',
    '      const response = await fetch(endpoint, {',
    "        method: 'POST',",
    "        headers: { Accept: 'application/json' },",
    '        body: data,',
    '      });',
    "      setState(response.ok ? 'sent' : 'failed');",
    '    } catch {',
    "      setState('failed');",
    '    }',
    '  }',
    '',
    '  if (state === \'sent\') return <p role="status">Thank you. Your message has been received.</p>;',
    '  return (',
    '    <form onSubmit={send}>',
    '      <label>Name <input name="name" autoComplete="name" required /></label>',
    '      <label>E-mail <input type="email" name="email" autoComplete="email" required /></label>',
    '      <label>Message <textarea name="message" required /></label>',
    ...(subject.takesFiles ? ['      <label>File <input type="file" name="file" /></label>'] : []),
    "      <div style={{ position: 'absolute', left: '-9999px' }} aria-hidden=\"true\">",
    '        <label>Leave this empty <input name="_gotcha" tabIndex={-1} autoComplete="off" data-1p-ignore data-lpignore="true" /></label>',
    '      </div>',
    "      <button disabled={state === 'sending'}>Send</button>",
    '      {state === \'failed\' && <p role="alert">That did not work. Please try again.</p>}',
    '    </form>',
    '  );',
    '}',
    '',
  ].join('\n');

const astro = (subject: SnippetSubject): string =>
  ['---', '// src/components/ContactForm.astro', '---', html(subject, '{Astro.url.pathname}')]
    .join('\n')
    .replace(
      /<script src="([^"]*)"/g,
      // Astro would bundle it otherwise.
      '<script is:inline src="$1"',
    );

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curl = ({ endpoint }: SnippetSubject): string =>
  [
    `curl ${shellQuoted(endpoint)} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"name": "Ada Lovelace", "email": "ada@example.com", "message": "Hello"}'`,
    '',
  ].join('\n');

export const snippetsOf = (subject: SnippetSubject): readonly Snippet[] => [
  { name: 'html', title: 'HTML', language: 'html', code: html(subject) },
  { name: 'fetch', title: 'JavaScript (fetch)', language: 'javascript', code: fetchCode(subject) },
  { name: 'react', title: 'React', language: 'jsx', code: react(subject) },
  { name: 'astro', title: 'Astro', language: 'astro', code: astro(subject) },
  { name: 'curl', title: 'curl', language: 'bash', code: curl(subject) },
];
