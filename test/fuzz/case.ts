/**
 * One request as the fuzzer sends it. It is data: it can be written down, read back, shrunk and sent again, also to another server.
 * `{{name}}` stands for what differs between servers, such as the id of a form.
 */

export interface FuzzCase {
  readonly method: string;
  /** As in the request line, one character per byte. */
  readonly path: string;
  /** Complete lines without line breaks, one character per byte. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** `as written`: the headers state the length of the body, and may be wrong. */
  readonly framing: 'length' | 'chunked' | 'as written';
  /** How many writes the body is sent in. */
  readonly pieces: number;
  /** What the client meant, if nothing was broken on purpose. */
  readonly meant?: Meant;
}

export interface Meant {
  /** The fields as JSON, in order. */
  readonly fields: string;
  readonly files: readonly { readonly field: string; readonly sha256: string }[];
}

/** The values of one server, by name. */
export type Values = ReadonlyMap<string, string>;

export const plainCase = (given: Partial<FuzzCase>): FuzzCase => ({
  method: 'GET',
  path: '/',
  headers: [],
  body: Buffer.alloc(0),
  framing: 'length',
  pieces: 1,
  ...given,
});

const filled = (text: string, values: Values): string =>
  text.includes('{{') ? text.replace(/\{\{(\w+)\}\}/g, (all, name: string) => values.get(name) ?? all) : text;

/** Long values first, because one may contain another. */
const emptied = (text: string, values: Values): string =>
  [...values]
    .filter(([, value]) => value.length >= 8)
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((rest, [name, value]) => rest.replaceAll(value, `{{${name}}}`), text);

const inTexts = (fuzzCase: FuzzCase, change: (text: string) => string): FuzzCase => ({
  ...fuzzCase,
  path: change(fuzzCase.path),
  headers: fuzzCase.headers.map(change),
  body: Buffer.from(change(fuzzCase.body.toString('latin1')), 'latin1'),
});

export const fillIn = (fuzzCase: FuzzCase, values: Values): FuzzCase =>
  inTexts(fuzzCase, (text) => filled(text, values));

/** The head and the body as sent over the network, with the body in its pieces. */
export function wireOf(fuzzCase: FuzzCase): { readonly head: Buffer; readonly pieces: readonly Buffer[] } {
  const { method, path, headers, body, framing } = fuzzCase;
  const lines = [...headers];
  if (framing === 'chunked') lines.push('Transfer-Encoding: chunked');
  if (framing === 'length' && (body.length > 0 || !['GET', 'HEAD'].includes(method))) {
    lines.push(`Content-Length: ${body.length}`);
  }
  const head = `${method} ${path} HTTP/1.1\r\nHost: inlet.test\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
  const parts = cut(body, fuzzCase.pieces);
  const pieces =
    framing === 'chunked'
      ? [...parts.filter((part) => part.length > 0).map(asChunk), Buffer.from('0\r\n\r\n')]
      : parts;
  return { head: Buffer.from(head, 'latin1'), pieces };
}

const asChunk = (part: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);

function cut(body: Buffer, pieces: number): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / Math.max(1, pieces)));
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) parts.push(body.subarray(at, at + size));
  return parts;
}

/** As a fixture: the body as text if it is text, otherwise as base64. */
export function toFixture(target: string, rule: string, fuzzCase: FuzzCase, values: Values): string {
  const { method, path, headers, body, framing, pieces, meant } = inTexts(fuzzCase, (text) =>
    emptied(text, values),
  );
  const text = body.toString('utf8');
  const isText = Buffer.from(text).equals(body);
  return `${JSON.stringify(
    {
      target,
      rule,
      method,
      path,
      headers,
      ...(isText ? { body: text } : { base64: body.toString('base64') }),
      framing,
      pieces,
      ...(meant ? { meant } : {}),
    },
    null,
    2,
  )}\n`;
}

export function fromFixture(text: string): { readonly target: string; readonly fuzzCase: FuzzCase } {
  const { target, body, base64, rule: _, ...rest } = JSON.parse(text);
  const bytes = base64 === undefined ? Buffer.from(body ?? '') : Buffer.from(base64, 'base64');
  return { target, fuzzCase: plainCase({ ...rest, body: bytes }) };
}
