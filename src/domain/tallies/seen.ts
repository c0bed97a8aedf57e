/** Describes a rejected request in words for the form's owner. Pure. */

import type { RejectionReason } from '../../contract/rejections.js';
import { hostOfUrl, isLocalhost } from '../../kernel/hosts.js';
import type { Refusal } from '../../model/errors.js';
import type { RateReading, Visit } from '../submissions/admission.js';
import type { CompiledForm } from '../submissions/intake-forms.js';
import type { Example } from './tallies.js';

/** Everything that the description may name. */
export interface RefusedRequest {
  readonly target: Pick<CompiledForm, 'form' | 'project'>;
  readonly visit: Visit;
  /** null: the request was for a challenge; those have a count of their own. */
  readonly rate: RateReading | null;
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
  /** The URL that the page wanted to redirect the visitor to. */
  readonly redirect?: string | undefined;
}

const maxChars = 300;

/**
 * Visitors write this, and owners read it in terminals and pages. Characters that move the cursor, hide text or reverse it are
 * escaped, and lone surrogates, which no database accepts, are replaced.
 */
export function harmless(text: string): string {
  // Cut first: escaping a megabyte to show 300 characters of it would be wasted work.
  const shown = text
    .slice(0, maxChars + 1)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (mark) => {
      const code = mark.codePointAt(0) ?? 0;
      return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
    });
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars - 1).toWellFormed()}…`;
}

/** The header that decided. */
function fromWhere({ origin, referer }: Visit): string {
  if (origin !== undefined) return `Origin: ${origin}`;
  return referer === undefined ? 'neither Origin nor Referer' : `Referer: ${referer}`;
}

/** Either of the two headers may have named localhost. */
function fromLocalhost(visit: Visit): string {
  const host = hostOfUrl(visit.origin);
  const isOrigin = visit.origin !== undefined && host !== null && isLocalhost(host);
  return isOrigin ? `Origin: ${visit.origin}` : `Referer: ${visit.referer}`;
}

const rateText = (rate: RateReading | null): string =>
  rate ? `${rate.count} requests in this minute (limit ${rate.limit})` : 'too many challenges in this minute';

function inWords(reason: RejectionReason, request: RefusedRequest, refusal: Refusal | null): string {
  const { target, visit, rate, contentType, contentLength } = request;
  switch (reason) {
    case 'origin':
      return fromWhere(visit);
    case 'localhost':
      return fromLocalhost(visit);
    case 'sandbox':
    case 'blocked':
      return target.form.storeIp ? `address ${visit.ip}` : 'an address that is not stored';
    case 'inactive':
      if (target.form.isArchived) return 'the form is archived';
      return target.form.isActive ? 'the project is not active' : 'the form is not active';
    case 'service_key':
      // Never the key itself: it may be valid for another form.
      return target.form.sandboxApiKey === null
        ? 'an X-Service-Key, but the form has none'
        : 'an X-Service-Key that is not the one of the form';
    case 'rate':
      return rateText(rate);
    case 'captcha':
      return 'a wrong token';
    case 'honeypot':
      return 'a value in a honeypot field, which people do not see';
    case 'size':
      return contentLength === undefined
        ? `${refusal?.message}`
        : `Content-Length: ${contentLength} (${refusal?.message})`;
    case 'content_type': {
      const type = contentType === undefined ? 'no Content-Type' : `Content-Type: ${contentType}`;
      return `${type} (${refusal?.extra.detail})`;
    }
    case 'plan':
      return 'a file, which the plan does not include';
    case 'webhook_loop':
      return 'a webhook of this service that was passed on to the form';
    case 'fields':
      return 'values that the rules of the form do not accept';
    case 'redirect':
      return `a redirect to ${request.redirect}`;
  }
}

/** `refusal` is null for clients that do not see one, such as bots in the honeypot. */
export function exampleOf(
  reason: RejectionReason,
  request: RefusedRequest,
  refusal: Refusal | null,
): Example {
  const {
    target: { form },
    visit,
  } = request;
  return {
    seen: harmless(refusal?.seen ?? inWords(reason, request, refusal)),
    ip: form.storeIp ? visit.ip : '',
    userAgent: harmless((form.storeUserAgent && visit.userAgent) || ''),
  };
}
