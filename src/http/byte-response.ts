/**
 * Decides the response to a GET or HEAD for stored bytes: all of them, a part, or none (RFC 9110, 13 and 14).
 *
 * Invariants: nothing here throws, whatever the headers contain; each header is parsed in linear time; a returned range lies within the
 * bytes. What cannot be parsed is ignored, never guessed.
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

/** In the order of RFC 9110, 13.2.2: each step runs only if the ones before it let the request pass. */
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
 * Every response has the validators, so that a client that gets 412 or 416 learns the current ones. Only responses with our bytes
 * have their length: a 304 has no bytes, and the body of an error has its own length.
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
 * Supports one range. A list of ranges gets the whole file, as 14.2 permits: a thousand overlapping ranges in one small request
 * would otherwise make us read and send the file a thousand times. Players and download managers that resume request a single
 * range.
 */
function rangeResponse(text: string, sizeBytes: number): ByteResponse {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(text) ?? [];
  if (first === '' && last === '') return { status: 200 };
  // Numbers above 2^53 are rounded (eventually to Infinity), but stay past the end of any file.
  if (first === '') {
    const suffixBytes = Number(last);
    if (suffixBytes === 0 || sizeBytes === 0) return { status: 416 };
    return { status: 206, range: { start: Math.max(0, sizeBytes - suffixBytes), end: sizeBytes - 1 } };
  }
  // A reversed range is malformed. Compared as digits of equal width, because two rounded numbers could look equal.
  if (last !== '' && first.padStart(last.length, '0') > last.padStart(first.length, '0'))
    return { status: 200 };
  const start = Number(first);
  if (start >= sizeBytes) return { status: 416 };
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return { status: 206, range: { start, end } };
}

/**
 * Whether the part that the client already has is of these same bytes. A date must be exactly the one we sent: a later one says
 * nothing about which bytes the client has.
 */
function mayBePart(ifRange: string | string[] | undefined, bytes: StoredBytes): boolean {
  if (ifRange === undefined || ifRange === bytes.etag) return true;
  return typeof ifRange === 'string' && dateIn(ifRange) === lastModified(bytes);
}

/** One member of a list of entity tags, including the comma or the end after it. A tag may itself contain commas. */
const ENTITY_TAG = /[\t ,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/gy;

/** Stops at the first member that is not an entity tag: what follows can no longer be parsed reliably. */
function namesEtag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list === '*') return true;
  for (const [, weak, tag] of list.matchAll(ENTITY_TAG)) {
    if (tag === etag && (weak === undefined || comparison === 'weak')) return true;
  }
  return false;
}

/** HTTP dates have whole seconds. A date that we sent must not look older than the bytes. */
function lastModified(bytes: StoredBytes): number {
  return Math.floor(bytes.modifiedAt / 1000) * 1000;
}

const DATE_LENGTH = 'Sun, 06 Nov 1994 08:49:37 GMT'.length;

/**
 * Parses a date in the format that we send. Returns null for anything else. `Date.parse` accepts far more ("1", "May"), so the
 * result must format to the same text, which also rejects the 31st of February and a wrong weekday. The two obsolete formats are
 * ignored too: a client that sends back our date benefits, any other gets the bytes.
 */
function dateIn(text: string | undefined): number | null {
  if (text?.length !== DATE_LENGTH) return null;
  const at = Date.parse(text);
  return new Date(at).toUTCString() === text ? at : null;
}
