/** What a hosted page may load, and where it may be shown. */
import { hostOfUrl, type OriginPatterns, originMatches } from '../../kernel/hosts.js';
import { type CaptchaWidget, solvesChallenge, widgetOf } from '../../model/captcha-widget.js';
import type { Form } from '../../model/form.js';
import type { PageLook } from './page-look.js';

const turnstile = 'https://challenges.cloudflare.com';
const hcaptcha = 'https://hcaptcha.com https://*.hcaptcha.com';
/** Everything that each provider says its widget needs. */
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

/** An allowed origin has no scheme and no port: `http:` and `:*` mean each of them. A policy cannot name an IPv6 address. */
const sourceOf = (host: string): readonly string[] => (host.includes(':') ? [] : [`http://${host}:*`]);

/**
 * Who may show the page in a frame: the origins that may send the form. A list that is too long for a header becomes the one website that
 * asks, which names itself in the Referer.
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
    // A browser also holds the redirects after the form to this: where the owner's page leads on is not for us to say.
    ['form-action', base.origin, form.successRedirect === null ? '' : 'http:'],
    ['frame-ancestors', ancestors],
  ];
  const text = directives.map((parts) => parts.filter((part) => part !== '').join(' ')).join('; ');
  return look.imagePolicy === '' ? text : `${look.imagePolicy}${text}`;
}
