/**
 * What the control fields of a submission request, as far as it is safe. Pure. Pages contain these fields, so anyone can send
 * them: nothing here leads to a site or a person that the form's owner has not listed.
 */
import { hostOfUrl, originMatches, parseHttpUrl } from '../../kernel/hosts.js';
import type { Visit } from './admission.js';
import type { CompiledForm } from './intake-forms.js';

/** Forty addresses of maximum length. Splitting a mebibyte of commas took 200 ms. */
const maxCopiesLength = 10_000;
/** As long as a `success_redirect` may be. Proxies reject responses with a megabyte of headers. */
const maxAddressLength = 2_048;

/** Returns the requested addresses that the owner has allowed. Form services separate them by commas or semicolons. */
export function allowedCopies(asked: string | null, allowed: readonly string[]): readonly string[] {
  if (asked === null || allowed.length === 0) return [];
  const wanted = new Set(
    asked
      .slice(0, maxCopiesLength)
      .split(/[,;]/)
      .map((address) => address.trim().toLowerCase()),
  );
  return allowed.filter((address) => wanted.has(address.toLowerCase()));
}

/** We do not guess how browsers treat blanks, line breaks and backslashes inside a URL. */
const isOdd = (address: string): boolean => /[\s\p{Cc}\\]/u.test(address);

type From = Pick<Visit, 'origin' | 'referer'>;

/** Parses a URL from a form, or a path on the site that sent the form. */
function addressIn(carried: string, { origin, referer }: From): URL | null {
  if (carried.length > maxAddressLength) return null;
  const text = carried.trim();
  if (isOdd(text)) return null;
  const isPath = text.startsWith('/') && !text.startsWith('//');
  const page = isPath ? parseHttpUrl(referer ?? origin ?? '') : null;
  const url = page === null ? parseHttpUrl(text) : new URL(text, page);
  if (url === null || url.username !== '' || url.password !== '') return null;
  return url.href.length <= maxAddressLength ? url : null;
}

/** Returns the page that the form redirects to, if it is on an allowed origin; null without a list of origins. */
export function allowedTarget(
  asked: string,
  { origins }: Pick<CompiledForm, 'origins'>,
  from: From,
): string | null {
  if (origins === null) return null;
  const url = addressIn(asked, from);
  const host = hostOfUrl(url?.href);
  return url !== null && host !== null && originMatches(origins, host) ? url.href : null;
}

/**
 * Returns the page that a form says it is on. To another origin, browsers reveal only which site sent the form. That part has to
 * match, so a page can name itself but no other site.
 */
export function namedPage(named: string | null, from: From): string | null {
  const url = named === null ? null : addressIn(named, from);
  const { origin, referer } = from;
  // A page without its own origin, such as a sandboxed frame, may still name itself in the Referer.
  const site = parseHttpUrl((origin === 'null' ? referer : (origin ?? referer)) ?? '');
  if (url === null || url.origin !== site?.origin) return null;
  url.hash = '';
  return url.href;
}
