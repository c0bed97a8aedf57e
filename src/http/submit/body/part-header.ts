/**
 * The header of one multipart part: its field, and whether it is a file. Pure. What cannot be parsed is rejected: skipping a part would
 * silently lose a field of the submission.
 */

import { safeFilename } from '../../../kernel/file-name.js';
import { decodeUtf8, exceedsUtf8Bytes } from '../../../kernel/utf8.js';
import { type Refusal, refuse } from '../../../model/errors.js';
import { plainName } from './field-collector.js';
import { parseHeaderValue } from './header-value.js';
import type { BodyLimits } from './limits.js';

export const maxPartHeaderBytes = 8 * 1024;
export const maxPartHeaders = 16;

/** By lower-case name. Each character is one byte. */
export type RawPartHeader = Readonly<Record<string, readonly string[]>>;

export interface FileHeader {
  readonly field: string;
  readonly filename: string;
  readonly declaredType: string;
  /** The client sent no file name: without bytes this is a file input that was left empty. */
  readonly mayBeAbsent: boolean;
}

export type PartHeader =
  | { readonly kind: 'text'; readonly name: string }
  | ({ readonly kind: 'file' } & FileHeader);

export function readPartHeader(raw: RawPartHeader, limits: BodyLimits): PartHeader | Refusal {
  const tooLarge = exceedsBounds(raw);
  if (tooLarge !== undefined) return tooLarge;
  const disposition = parseHeaderValue(raw['content-disposition']?.[0] ?? '');
  if (disposition?.token !== 'form-data') {
    return refuse.invalidSubmission(
      'A part of the multipart body has no valid Content-Disposition',
      'invalid_multipart',
    );
  }
  const filename = claimedFilename(disposition.parameters);
  const rawName = disposition.parameters.get('name');
  // A text without a name is dropped, as in the other form encoding. A form does not send a file without a name by accident.
  if (rawName === undefined || (rawName === '' && filename !== undefined)) {
    return refuse.invalidSubmission('A part of the multipart body has no name', 'invalid_multipart');
  }
  const name = asUtf8(rawName);
  if (name === undefined)
    return refuse.invalidSubmission('A field name is not valid UTF-8', 'invalid_encoding');
  if (exceedsUtf8Bytes(name, limits.maxNameBytes)) {
    return refuse.tooManyBytes('field_name', limits.maxNameBytes);
  }
  if (filename === undefined) return { kind: 'text', name: unescaped(name) };
  return {
    kind: 'file',
    field: plainName(unescaped(name)),
    filename: safeFilename(filename),
    declaredType: mediaType(raw['content-type']?.[0]),
    mayBeAbsent: filename === '',
  };
}

function exceedsBounds(raw: RawPartHeader): Refusal | undefined {
  let headers = 0;
  let bytes = 0;
  for (const name in raw) {
    for (const value of raw[name] ?? []) {
      headers += 1;
      bytes += name.length + value.length;
    }
  }
  if (headers > maxPartHeaders) return refuse.tooMany('part_headers', maxPartHeaders);
  if (bytes > maxPartHeaderBytes) return refuse.tooManyBytes('part_header', maxPartHeaderBytes);
  return undefined;
}

/** Returns undefined when the part is not a file. */
function claimedFilename(parameters: ReadonlyMap<string, string>): string | undefined {
  // Forms should not send filename*, but it is the only way in which some clients send a non-ASCII name.
  const extended = parameters.get('filename*');
  const decoded = extended === undefined ? undefined : percentDecoded(extended);
  if (decoded !== undefined) return decoded;
  const plain = parameters.get('filename');
  // It is only displayed: a name in an old encoding is no reason to reject the file.
  if (plain !== undefined) return unescaped(asUtf8(plain) ?? plain);
  return extended === undefined ? undefined : 'file';
}

function percentDecoded(extended: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function asUtf8(oneByteCharacters: string): string | undefined {
  return decodeUtf8(Buffer.from(oneByteCharacters, 'latin1'));
}

/** Browsers escape these three characters, and only these, in names and file names. */
function unescaped(name: string): string {
  return name.replace(/%(?:22|0[AD])/gi, decodeURIComponent);
}

function mediaType(declared: string | undefined): string {
  const { token = '' } = parseHeaderValue(declared ?? '') ?? {};
  return /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(token)
    ? token
    : 'application/octet-stream';
}
