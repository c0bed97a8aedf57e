/**
 * The hosted page: a form on a page of its own, at the URL that it is submitted to. It works without scripts. With them it is submitted
 * in place, uploads show their progress, and a frame around it adapts to its height.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { FieldRule } from '../../contract/field-rule.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { escapeHtml } from '../../kernel/html.js';
import { type Language, languageTags } from '../../kernel/language.js';
import { solvesChallenge, widgetOf } from '../../model/captcha-widget.js';
import type { Form } from '../../model/form.js';
import type { Violation } from '../../model/violation.js';
import { fieldMessage } from './field-words.js';
import { idOf, inputsHtml, textHtml } from './hosted-inputs.js';
import { frameAncestors, hostedPolicy } from './hosted-policy.js';
import { hostedStylePath } from './hosted-style.js';
import { hostedWords } from './hosted-words.js';
import { formLookOf } from './page-look.js';
import { thanksNotice } from './page-thanks.js';
import type { Prefill } from './prefill.js';

export interface HostedContent extends Prefill {
  /** The language of the page, which is also submitted if a language was requested. `language` is the requested one. */
  readonly shownIn: Language;
  /** Of the submission that was rejected. */
  readonly violations: readonly Violation[];
}

export interface HostedPages {
  render(form: Form, content: HostedContent): string;
  /** Includes the given headers of the response. `referer`: the page that the visitor came from, or that frames this one. */
  headersFor(
    target: CompiledForm,
    language: Language,
    headers: OutgoingHttpHeaders,
    referer: string | undefined,
  ): OutgoingHttpHeaders;
}

const honeypot =
  '<div class="trap" aria-hidden="true"><label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off" data-1p-ignore data-lpignore="true"></label></div>';

const takesFiles = (rules: readonly FieldRule[]): boolean => rules.some(({ type }) => type === 'file');

function summaryHtml({ fields }: Form, { shownIn, violations }: HostedContent): string {
  if (violations.length === 0) return '';
  const { notSent, chooseFilesAgain } = hostedWords[shownIn];
  const items = violations.map((violation) => {
    const place = fields.findIndex(({ name }) => name === violation.field);
    const label = `<bdi>${textHtml(violation.label)}</bdi>`;
    const name = place === -1 ? label : `<a href="#${idOf(place)}">${label}</a>`;
    return `<li>${name} ${escapeHtml(fieldMessage(violation, shownIn))}</li>`;
  });
  const files = takesFiles(fields) ? ` ${chooseFilesAgain}` : '';
  return `<section class="summary" role="alert"><h2>${notSent.title}</h2><p>${notSent.text}${files}</p><ul>${items.join('')}</ul></section>\n`;
}

function widgetHtml(form: Form, language: Language): { readonly element: string; readonly script: string } {
  const widget = widgetOf(form);
  if (widget === null) return { element: '', script: '' };
  const tag = languageTags[language];
  const siteKey = escapeHtml(form.captchaSiteKey ?? '');
  return {
    element: `<div class="${widget.mark}" data-sitekey="${siteKey}" data-language="${tag}"></div>\n`,
    script: `<script src="${widget.script}?hl=${tag}" async defer></script>\n`,
  };
}

/** The script stays on the page after submitting, unless the owner has a page of their own. */
function thanksAttributes(form: Form, language: Language): string {
  if (form.successRedirect !== null) return '';
  const { title, text } = thanksNotice(form, language);
  return ` data-success="${escapeHtml(`${title}\n${text}`)}" data-hide-on-success`;
}

/** `baseUrl` is the public URL of this instance. It may contain a path. */
export function createHostedPages(baseUrl: string): HostedPages {
  const base = new URL(`${baseUrl}/`);
  const at = (path: string): string => escapeHtml(new URL(path, base).href);
  const styleUrl = at(hostedStylePath);

  const formHtml = (form: Form, content: HostedContent, widget: string): string => {
    const { shownIn, language, values, violations } = content;
    const words = hostedWords[shownIn];
    const address = at(`f/${form.publicId}`);
    const messages = new Map(
      violations.map((violation) => [violation.field, fieldMessage(violation, shownIn)]),
    );
    const upload = takesFiles(form.fields) ? ' enctype="multipart/form-data"' : '';
    const challenge = solvesChallenge(form) ? ' data-challenge' : '';
    const script = form.captchaEnabled
      ? `<noscript><p class="wrong">${words.needsScript}</p></noscript>\n`
      : '';
    return `<form action="${address}" method="post"${upload}${challenge}${thanksAttributes(form, shownIn)}>
${inputsHtml(form.fields, { language: shownIn, values, messages })}
${honeypot}
<input type="hidden" name="_page" value="${address}">
${language === null ? '' : `<input type="hidden" name="_language" value="${languageTags[shownIn]}">\n`}${widget}${script}<button type="submit">${words.send}</button>
<p data-inlet-status hidden></p>
</form>`;
  };

  return {
    render(form, content) {
      const { shownIn, violations } = content;
      const look = formLookOf(form);
      const widget = widgetHtml(form, shownIn);
      const title = textHtml(form.hostedPageTitle ?? form.name);
      const text =
        form.hostedPageText === null ? '' : `<p class="intro">${textHtml(form.hostedPageText)}</p>\n`;
      const head = violations.length === 0 ? title : `${hostedWords[shownIn].notSent.title} – ${title}`;
      return `<!doctype html>
<html lang="${languageTags[shownIn]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
${form.hostedPageIndexed ? '' : '<meta name="robots" content="noindex">\n'}<title>${head}</title>
<link rel="stylesheet" href="${styleUrl}">
${look.style}<script src="${at('inlet.js')}" defer></script>
<script src="${at('inlet-embed.js')}" data-frame defer></script>
${widget.script}</head>
<body>
<main>
${look.logo}<h1><bdi>${title}</bdi></h1>
${text}${summaryHtml(form, content)}${formHtml(form, content, widget.element)}
</main>
</body>
</html>
`;
    },

    headersFor({ form, origins }, language, headers, referer) {
      const { vary } = headers;
      return {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': hostedPolicy(
          base,
          form,
          formLookOf(form),
          frameAncestors(origins, referer),
        ),
        'cache-control': 'no-store',
        'content-language': languageTags[language],
        vary: vary === undefined ? 'Accept-Language' : `${String(vary)}, Accept-Language`,
        // The form must show where it was submitted from. Other websites learn only the origin.
        'referrer-policy': 'strict-origin-when-cross-origin',
        ...(form.hostedPageIndexed ? {} : { 'x-robots-tag': 'noindex' }),
      };
    },
  };
}
