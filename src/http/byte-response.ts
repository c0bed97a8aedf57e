/**
 * How a GET or HEAD for stored bytes is answered: whole, in part, or not at all (RFC 9110, 13 and 14).
 *
 * What must stay true: nothing here throws, whatever the headers say; each header is read in linear time;
 * a range that is given out lies inside the bytes. What cannot be understood is ignored, never guessed at.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ByteRange } from '../ports/blobs.js';

export interface StoredBytes {
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly modifiedAt: number;
  readonly sizeBytes: number;
}

export type ByteResponse =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 }
  | { readonly status: 412 }
  | { readonly status: 416 };

/** In the order of RFC 9110, 13.2.2: a step is reached only when those before it let the request pass. */
export function decideByteResponse(
  headers: IncomingHttpHeaders,
  bytes: StoredBytes,
  method = 'GET',
): ByteResponse {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!namesEtag(ifMatch, bytes.etag, 'strong')) return { status: 412 };
  } else {
    const unmodifiedSince = dateIn(headers['if-unmodified-since']);
    if (unmodifiedSince !== null && lastModified(bytes) > unmodifiedSince) return { status: 412 };
  }

  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (namesEtag(ifNoneMatch, bytes.etag, 'weak')) return { status: 304 };
  } else {
    const modifiedSince = dateIn(headers['if-modified-since']);
    if (modifiedSince !== null && lastModified(bytes) <= modifiedSince) return { status: 304 };
  }

  const range = headers.range;
  if (method !== 'GET' || range === undefined || !mayBePart(headers['if-range'], bytes))
    return { status: 200 };
  return rangeResponse(range, bytes.sizeBytes);
}

/**
 * The validators go with every answer: a client that was told 412 or 416 learns what it should have asked
 * for. The length goes only with our bytes: on a 304 there are none, and the text of a refusal has a length
 * of its own.
 */
export function byteResponseHeaders(answer: ByteResponse, bytes: StoredBytes): Record<string, string> {
  const headers: Record<string, string> = {
    etag: bytes.etag,
    'last-modified': new Date(lastModified(bytes)).toUTCString(),
    'accept-ranges': 'bytes',
  };
  if (answer.status === 200) {
    headers['content-length'] = String(bytes.sizeBytes);
  } else if (answer.status === 206) {
    const { start, end } = answer.range;
    headers['content-range'] = `bytes ${start}-${end}/${bytes.sizeBytes}`;
    headers['content-length'] = String(end - start + 1);
  } else if (answer.status === 416) {
    headers['content-range'] = `bytes */${bytes.sizeBytes}`;
  }
  return headers;
}

const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * One range or none. A list of ranges is answered with the whole file, as 14.2 permits: a thousand
 * overlapping ranges in one small request would otherwise have us read and send the file a thousand times,
 * and the players and download managers that resume ask for a single one.
 */
function rangeResponse(text: string, sizeBytes: number): ByteResponse {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(text) ?? [];
  if (first === '' && last === '') return { status: 200 };
  // Past 2^53 a number is rounded (in the end to Infinity), but stays past the end of any file.
  if (first === '') {
    const suffixBytes = Number(last);
    if (suffixBytes === 0 || sizeBytes === 0) return { status: 416 };
    return { status: 206, range: { start: Math.max(0, sizeBytes - suffixBytes), end: sizeBytes - 1 } };
  }
  // Backwards is malformed. Compared as digits of one width, since two rounded numbers could look equal.
  if (last !== '' && first.padStart(last.length, '0') > last.padStart(first.length, '0'))
    return { status: 200 };
  const start = Number(first);
  if (start >= sizeBytes) return { status: 416 };
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return { status: 206, range: { start, end } };
}

/**
 * Whether the client's other part is of these same bytes. A date has to be the very one we sent: a later one
 * says nothing about which bytes the client holds.
 */
function mayBePart(ifRange: string | string[] | undefined, bytes: StoredBytes): boolean {
  if (ifRange === undefined || ifRange === bytes.etag) return true;
  return typeof ifRange === 'string' && dateIn(ifRange) === lastModified(bytes);
}

/** One member of a list of entity tags, with the comma or the end behind it. A tag may itself hold commas. */
const ENTITY_TAG = /[\t ,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/gy;

/** Reading stops at the first member that is no entity tag: what follows it can no longer be told apart. */
function namesEtag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list === '*') return true;
  for (const [, weak, tag] of list.matchAll(ENTITY_TAG)) {
    if (tag === etag && (weak === undefined || comparison === 'weak')) return true;
  }
  return false;
}

/** HTTP dates count whole seconds; a date we sent ourselves must not look older than the bytes. */
function lastModified(bytes: StoredBytes): number {
  return Math.floor(bytes.modifiedAt / 1000) * 1000;
}

const DATE_LENGTH = 'Sun, 06 Nov 1994 08:49:37 GMT'.length;

/**
 * The form in which dates are sent, or null. `Date.parse` reads far more than that ("1", "May"); only what is written
 * back letter for letter was one, which rejects the 31st of February and a wrong weekday too. The two obsolete forms
 * are ignored as well: a client that sends back the date it was given gets the benefit, any other gets the bytes.
 */
function dateIn(text: string | undefined): number | null {
  if (text?.length !== DATE_LENGTH) return null;
  const at = Date.parse(text);
  return new Date(at).toUTCString() === text ? at : null;
}
