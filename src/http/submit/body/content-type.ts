/** The submission format of a request, one of three, from its Content-Type alone. Pure. */
import { type Refusal, refuse } from '../../../model/errors.js';
import { parseHeaderValue } from './header-value.js';
import type { BodyLimits } from './limits.js';

export type SubmissionContentType =
  | { readonly kind: 'json' }
  | { readonly kind: 'urlencoded' }
  | { readonly kind: 'multipart'; readonly boundary: string };

const json: SubmissionContentType = { kind: 'json' };
const urlencoded: SubmissionContentType = { kind: 'urlencoded' };

const utf8Charsets = new Set(['utf-8', 'utf8', 'us-ascii']);

/** RFC 2046, `bchars`; it may not end in a space. */
const boundaryAlphabet = /^[0-9A-Za-z'()+_,\-./:=? ]*[0-9A-Za-z'()+_,\-./:=?]$/;

export function parseContentType(
  header: string | undefined,
  limits: BodyLimits,
): SubmissionContentType | Refusal {
  if (header === 'application/json') return json;
  if (header === undefined || header.trim() === '') return refuse.invalidSubmission('Missing Content-Type');
  const type = parseHeaderValue(header);
  if (type === undefined) return refuse.invalidSubmission('Malformed Content-Type');
  const charset = type.parameters.get('charset');
  if (charset !== undefined && !utf8Charsets.has(charset.toLowerCase())) {
    return refuse.invalidSubmission('The charset of the body must be UTF-8');
  }
  switch (type.token) {
    case 'application/json':
      return json;
    case 'application/x-www-form-urlencoded':
      return urlencoded;
    case 'multipart/form-data':
      return multipart(type.parameters.get('boundary'), limits.maxBoundaryBytes);
    default:
      return refuse.invalidSubmission(
        'Unsupported Content-Type: ' +
          'use application/json, application/x-www-form-urlencoded or multipart/form-data',
      );
  }
}

/** Long boundaries have hung and crashed multipart parsers, so none of them is passed on. */
function multipart(boundary: string | undefined, maxBytes: number): SubmissionContentType | Refusal {
  if (boundary === undefined || boundary === '')
    return refuse.invalidSubmission('Missing multipart boundary');
  if (boundary.length > maxBytes) {
    return refuse.invalidSubmission(`The multipart boundary is longer than ${maxBytes} bytes`);
  }
  if (!boundaryAlphabet.test(boundary)) {
    return refuse.invalidSubmission('The multipart boundary has characters that are not allowed');
  }
  return { kind: 'multipart', boundary };
}
