/** What a hosted page may load, where it may be shown, and the CAPTCHA widget that it may have on it. */
import { hostOfUrl, type OriginPatterns, originMatches } from '../../kernel/hosts.js';
import type { CaptchaProvider, Form } from '../../model/form.js';
import type { PageLook } from './page-look.js';

interface Widget {
  readonly script: string;
  /** The class of the element that the script fills. */
  readonly mark: string;
  /** Everything that the provider says its widget needs. */
  readonly sources: { readonly script: string; readonly frame: string; readonly more: string };
}

const hcaptcha = 'https://hcaptcha.com https://*.hcaptcha.com';
const widgets: Readonly<Record<Exclude<CaptchaProvider, 'altcha'>, Widget>> = {
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    mark: 'cf-turnstile',
    sources: {
      script: 'https://challenges.cloudflare.com',
      frame: 'https://challenges.cloudflare.com',
      more: '',
    },
  },
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js',
    mark: 'h-captcha',
    sources: { script: hcaptcha, frame: hcaptcha, more: hcaptcha },
  },
  recaptcha: {
    script: 'https://www.google.com/recaptcha/api.js',
    mark: 'g-recaptcha',
    sources: {
      script: 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
      frame: 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
      more: '',
    },
  },
};

type Captcha = Pick<Form, 'captchaEnabled' | 'captchaProvider'>;

/** null: the form asks for none, or for ours, which has none. */
export const widgetOf = ({ captchaEnabled, captchaProvider }: Captcha): Widget | null =>
  captchaEnabled && captchaProvider !== 'altcha' ? widgets[captchaProvider] : null;

export const solvesChallenge = ({ captchaEnabled, captchaProvider }: Captcha): boolean =>
  captchaEnabled && captchaProvider === 'altcha';

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
  const sources = widgetOf(form)?.sources;
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
