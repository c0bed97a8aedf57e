/** What a hosted page may load, and who may frame it. */
import { hostOfUrl, type OriginPatterns, originMatches } from '../../kernel/hosts.js';
import { type CaptchaWidget, solvesChallenge, widgetOf } from '../../model/captcha-widget.js';
import type { Form } from '../../model/form.js';
import type { PageLook } from './page-look.js';

const turnstile = 'https://challenges.cloudflare.com';
const hcaptcha = 'https://hcaptcha.com https://*.hcaptcha.com';
/** What the widget of each provider needs, according to the provider. */
const widgetSources: Readonly<
  Record<
    CaptchaWidget['provider'],
    { readonly script: string; readonly frame: string; readonly more: string }
  >
> = {
  turnstile: { script: turnstile, frame: turnstile, more: '' },
  hcaptcha: { script: hcaptcha, frame: hcaptcha, more: hcaptcha },
  recaptcha: {
    script: 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
    frame: 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    more: '',
  },
};

/** Some proxies allow 4 kB for the whole head of a response. */
const maxAncestorsLength = 2_048;

/** An allowed origin has no scheme and no port: `http:` and `:*` match any. A policy cannot contain an IPv6 address. */
const sourceOf = (host: string): readonly string[] => (host.includes(':') ? [] : [`http://${host}:*`]);

/**
 * Who may frame the page: the origins that may submit the form. If the list is too long for a header, only the website that requests the
 * page, as named in its Referer.
 */
export function frameAncestors(origins: OriginPatterns | null, referer: string | undefined): string {
  if (origins === null) return '*';
  const all = [...origins.exact, ...[...origins.parents].map((parent) => `*.${parent}`)].flatMap(sourceOf);
  const text = ["'self'", ...all].join(' ');
  if (text.length <= maxAncestorsLength) return text;
  const host = hostOfUrl(referer);
  return ["'self'", ...(host !== null && originMatches(origins, host) ? sourceOf(host) : [])].join(' ');
}

/** `base` ends in a slash. */
export function hostedPolicy(base: URL, form: Form, look: PageLook, ancestors: string): string {
  const widget = widgetOf(form);
  const sources = widget ? widgetSources[widget.provider] : undefined;
  const solver = solvesChallenge(form) ? `${base.href}inlet-solver.js` : '';
  const directives: readonly (readonly string[])[] = [
    ['default-src', "'none'"],
    ['script-src', `${base.href}inlet.js`, `${base.href}inlet-embed.js`, solver, sources?.script ?? ''],
    ['style-src', `'self' ${base.origin}${look.styleSource}`, sources?.more ?? ''],
    ['connect-src', `${base.href}f/`, solver, sources?.more ?? ''],
    ...(solver === '' ? [] : [['worker-src', 'blob:']]),
    ...(sources === undefined ? [] : [['frame-src', sources.frame]]),
    ['base-uri', "'none'"],
    // Browsers also apply this to redirects after the submission. Where the owner's page redirects to is not for us to restrict.
    ['form-action', base.origin, form.successRedirect === null ? '' : 'http:'],
    ['frame-ancestors', ancestors],
  ];
  const text = directives.map((parts) => parts.filter((part) => part !== '').join(' ')).join('; ');
  return look.imagePolicy === '' ? text : `${look.imagePolicy}${text}`;
}
