/** Forms in HTML. */
import { solvesChallenge, widgetOf } from '../../../model/captcha-widget.js';
import { type SnippetSubject, takesFiles } from './subject.js';
import { escaped, indented } from './writing.js';

/** `page`: the value of the field that names the page. Without it, the script adds the field. */
export function html(subject: SnippetSubject, page: string | null = null): string {
  const { endpoint, lines, scriptUrl, form } = subject;
  const widget = widgetOf(form);
  const upload = takesFiles(subject) ? ' enctype="multipart/form-data"' : '';
  const challenge = solvesChallenge(form) ? ' data-challenge' : '';
  return [
    `<form action="${escaped(endpoint)}" method="post"${upload}${challenge}>`,
    ...indented(lines.html, '  '),
    ...(page === null ? [] : [`  <input type="hidden" name="_page" value=${page}>`]),
    ...(widget
      ? [
          `  <div class="${widget.mark}" data-sitekey="${escaped(form.captchaSiteKey ?? 'YOUR_SITE_KEY')}"></div>`,
        ]
      : []),
    '  <button type="submit">Send</button>',
    '</form>',
    ...(widget ? [`<script src="${widget.script}" async defer></script>`] : []),
    ...(solvesChallenge(form)
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
      // Otherwise Astro would bundle it.
      '<script is:inline src="$1"',
    );
