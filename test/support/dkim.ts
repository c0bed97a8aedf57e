/** Verifies the DKIM signature of a mail (RFC 6376, relaxed/relaxed, rsa-sha256) with node:crypto alone. */
import { createHash, createPublicKey, verify } from 'node:crypto';

interface Header {
  readonly name: string;
  readonly value: string;
}

function partsOf(raw: string): { headers: readonly Header[]; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers = raw
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .map((line) => {
      const colon = line.indexOf(':');
      return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) };
    });
  return { headers, body: raw.slice(end + 4) };
}

const relaxedHeader = ({ name, value }: Header): string =>
  `${name}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()}`;

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  const text = lines.join('\r\n').replace(/(?:\r\n)+$/, '');
  return text === '' ? '' : `${text}\r\n`;
}

export interface DkimResult {
  readonly domain: string;
  readonly selector: string;
  readonly signedHeaders: readonly string[];
  readonly isBodyHash: boolean;
  readonly isSignature: boolean;
}

/** Returns null when the mail has no signature. `published` is the value of `p=` in the DNS record. */
export function verifyDkim(raw: string, published: string): DkimResult | null {
  const { headers, body } = partsOf(raw);
  const signature = headers.find(({ name }) => name === 'dkim-signature');
  if (!signature) return null;
  const tags = new Map(
    signature.value.split(';').map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, at).trim(), tag.slice(at + 1).replace(/\s/g, '')];
    }),
  );
  const signedHeaders = (tags.get('h') ?? '').toLowerCase().split(':');
  const left = [...headers];
  const lines = signedHeaders.flatMap((wanted) => {
    // If a header occurs several times, the last one is signed first.
    const at = left.findLastIndex(({ name }) => name === wanted);
    return at === -1 ? [] : left.splice(at, 1).map(relaxedHeader);
  });
  const own = relaxedHeader({ ...signature, value: signature.value.replace(/([;\s]b=)[^;]*/, '$1') });
  const key = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'spki' });
  const signed = Buffer.from([...lines, own].join('\r\n'), 'utf8');
  return {
    domain: tags.get('d') ?? '',
    selector: tags.get('s') ?? '',
    signedHeaders,
    isBodyHash: createHash('sha256').update(relaxedBody(body)).digest('base64') === tags.get('bh'),
    isSignature: verify('sha256', signed, key, Buffer.from(tags.get('b') ?? '', 'base64')),
  };
}
