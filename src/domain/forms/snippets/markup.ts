/** Forms in HTML. The honeypot is invisible to people, to screen readers and to the browser's autofill. */
import { attribute, type SnippetSubject } from './subject.js';

/** Where each provider's widget comes from, and the element it fills. */
const widgets = {
  turnstile: { script: 'https://challenges.cloudflare.com/turnstile/v0/api.js', mark: 'cf-turnstile' },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js', mark: 'h-captcha' },
  recaptcha: { script: 'https://www.google.com/recaptcha/api.js', mark: 'g-recaptcha' },
} as const;

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

/** The fields of the form, the honeypot among them: far outside the page, named like nothing that a browser remembers. */
export const fields = (takesFiles: boolean): readonly string[] => [
  '<label>Name <input name="name" autocomplete="name" required></label>',
  '<label>E-mail <input type="email" name="email" autocomplete="email" required></label>',
  '<label>Message <textarea name="message" required></textarea></label>',
  ...(takesFiles ? ['<label>File <input type="file" name="file"></label>'] : []),
  '<div style="position: absolute; left: -9999px" aria-hidden="true">',
  '  <label>Leave this empty <input type="text" name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label>',
  '</div>',
];

export const indented = (lines: readonly string[], indent: string): readonly string[] =>
  lines.map((line) => indent + line);

/** `page`: the value of the field that names the page. Where it is missing, the script adds the field. */
export function html(subject: SnippetSubject, page: string | null = null): string {
  const { endpoint, takesFiles, scriptUrl, form } = subject;
  const widget = widgetOf(form);
  const upload = takesFiles ? ' enctype="multipart/form-data"' : '';
  const challenge = solvesChallenge(subject) ? ' data-challenge' : '';
  return [
    `<form action="${attribute(endpoint)}" method="post"${upload}${challenge}>`,
    ...indented(fields(takesFiles), '  '),
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

export const astro = (subject: SnippetSubject): string =>
  ['---', '// src/components/ContactForm.astro', '---', html(subject, '{Astro.url.pathname}')]
    .join('\n')
    .replace(
      /<script src="([^"]*)"/g,
      // Astro would bundle it otherwise.
      '<script is:inline src="$1"',
    );
