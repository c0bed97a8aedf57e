/** Forms in HTML. */
import { formElements } from './elements.js';
import { type SnippetSubject, takesFiles } from './subject.js';
import { escaped, htmlLines, indented } from './writing.js';

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

/** `page`: the value of the field that names the page. Where it is missing, the script adds the field. */
export function html(subject: SnippetSubject, page: string | null = null): string {
  const { endpoint, fields, scriptUrl, form } = subject;
  const widget = widgetOf(form);
  const upload = takesFiles(subject) ? ' enctype="multipart/form-data"' : '';
  const challenge = solvesChallenge(subject) ? ' data-challenge' : '';
  return [
    `<form action="${escaped(endpoint)}" method="post"${upload}${challenge}>`,
    ...indented(htmlLines(formElements(fields)), '  '),
    ...(page === null ? [] : [`  <input type="hidden" name="_page" value=${page}>`]),
    ...(widget ? [`  <div class="${widget.mark}" data-sitekey="${escaped(widget.siteKey)}"></div>`] : []),
    '  <button type="submit">Send</button>',
    '</form>',
    ...(widget ? [`<script src="${widget.script}" async defer></script>`] : []),
    ...(solvesChallenge(subject)
      ? ['<!-- Solves the challenge in the background; this form needs it. -->']
      : ['<!-- Optional: sends the form without leaving the page. -->']),
    `<script src="${escaped(scriptUrl)}" defer></script>`,
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
