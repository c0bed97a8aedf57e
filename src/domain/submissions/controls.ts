/**
 * What the control fields of a submission ask for, as far as it is safe. Pure. Pages carry these fields, so anyone can send them:
 * nothing here leads to a place or a person that the owner of the form has not named.
 */
import { hostOfUrl, originMatches, parseHttpUrl } from '../../kernel/hosts.js';
import type { Visit } from './admission.js';
import type { CompiledForm } from './intake-forms.js';

/** Forty addresses of the longest kind. A mebibyte of commas took 200 ms to take apart. */
const maxCopiesLength = 10_000;
/** As long as a `success_redirect` may be. Proxies take no response with a head of a megabyte. */
const maxAddressLength = 2_048;

/** Addresses that are asked for and that the owner has allowed. Services separate them by commas or semicolons. */
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

/** What browsers make of blanks, line breaks and backslashes inside an address is not for us to guess. */
const isOdd = (address: string): boolean => /[\s\p{Cc}\\]/u.test(address);

type From = Pick<Visit, 'origin' | 'referer'>;

/** A web address that a form carries, or a path on the website that sent the form. */
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

/** The page that a visitor's form wants to lead to, if it is on an allowed origin; without a list of origins there is none. */
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
 * The page that a form says it is on. Browsers tell another origin only which website sent the form: that part has to agree, so a
 * page can name itself and no other website.
 */
export function namedPage(named: string | null, from: From): string | null {
  const url = named === null ? null : addressIn(named, from);
  const { origin, referer } = from;
  // What has no origin of its own, such as a sandboxed frame, may still name itself in the Referer.
  const site = parseHttpUrl((origin === 'null' ? referer : (origin ?? referer)) ?? '');
  if (url === null || url.origin !== site?.origin) return null;
  url.hash = '';
  return url.href;
}
