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
const maxTargetLength = 2_048;

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

/**
 * The page that a visitor's form wants to lead to, if it is on an allowed origin; without a list of origins there is none. A path
 * belongs to the page that sent the form.
 */
export function allowedTarget(
  asked: string,
  { origins }: Pick<CompiledForm, 'origins'>,
  { origin, referer }: Pick<Visit, 'origin' | 'referer'>,
): string | null {
  if (origins === null || asked.length > maxTargetLength) return null;
  const text = asked.trim();
  if (isOdd(text)) return null;
  const isPath = text.startsWith('/') && !text.startsWith('//');
  const page = isPath ? parseHttpUrl(referer ?? origin ?? '') : null;
  const url = page === null ? parseHttpUrl(text) : new URL(text, page);
  const host = hostOfUrl(url?.href);
  if (url === null || host === null || url.username !== '' || url.password !== '') return null;
  return originMatches(origins, host) && url.href.length <= maxTargetLength ? url.href : null;
}
