/** multipart/form-data: bodies as browsers write them, with known fields and files, and broken ones of the same kind. */
import { createHash } from 'node:crypto';
import { filePart, multipartBody, type Part, textPart } from '../../support/bodies.js';
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, type Meant, plainCase } from '../case.js';
import type { Play, Sent } from '../engine.js';
import { headerSafe, mutateBytes, mutateText, oddText, pick, sometimes } from '../mutate.js';
import type { World } from '../world.js';
import { acceptedId, dressed, judgeMeaning, meaningOfPairs, submissionAccount } from './submitting.js';

const names = ['name', 'email', 'tag[]', 'upload', 'a b', '10', '2', '__proto__', 'ü', '_csrf', '_gotcha'];
const boundaries = [
  'b',
  'inlet-boundary',
  '----WebKitFormBoundaryAbCdEfGh',
  "a'()+_,-./:=?b",
  '-'.repeat(70),
];
const types = [
  'image/png',
  'text/html',
  'image/svg+xml',
  'application/octet-stream',
  'x',
  'text/plain; charset=x',
];

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function content(chance: Chance, world: World): Buffer {
  const kind = chance.between(0, 4);
  if (kind === 0) return Buffer.alloc(0);
  if (kind === 1) return Buffer.from(`<svg><script>1</script></svg>${oddText(chance)}`);
  if (kind === 2) return world.pictures.get('png') ?? Buffer.alloc(1);
  if (kind === 3) return Buffer.from('\r\n--b\r\n--');
  return chance.bytes(pick(chance, [1, 100, 4_096, 70_000]));
}

interface Made {
  readonly parts: readonly Part[];
  readonly meant: Meant;
}

function made(chance: Chance, world: World, boundary: string): Made {
  const parts: Part[] = [];
  const pairs: [string, string][] = [];
  const files: { field: string; sha256: string }[] = [];
  for (let left = pick(chance, [0, 1, 2, 4, 9]); left > 0; left -= 1) {
    const name = pick(chance, names);
    if (sometimes(chance, 0.3)) {
      const bytes = content(chance, world);
      const filename = pick(chance, [
        'a.png',
        'ü.pdf',
        '../../x',
        'a"b.txt',
        'x'.repeat(300),
        'con',
        '.',
        '\u202egpj.exe',
      ]);
      if (bytes.includes(boundary)) continue;
      parts.push(filePart(name, filename, bytes, pick(chance, types)));
      // A file in the honeypot is spam too.
      if (name === '_gotcha') pairs.push([name, 'x']);
      files.push({ field: name.replace(/(?<=.)\[\]$/, ''), sha256: sha256(bytes) });
    } else {
      const value = oddText(chance).toWellFormed();
      // Invalid UTF-8 is decoded like the legacy charset of an old page.
      if (value.includes(boundary) || value.includes('\ufffd')) continue;
      parts.push(textPart(name, value));
      pairs.push([name, value]);
    }
  }
  const { data, isSpam } = meaningOfPairs(pairs);
  return { parts, meant: { fields: isSpam ? '' : data, files: isSpam ? [] : files } };
}

const words = [
  '\r\n--b\r\n',
  '\r\n--b--\r\n',
  '--b',
  '--',
  '\r\n\r\n',
  'Content-Disposition: form-data; name="a"\r\n\r\n',
  'Content-Disposition: form-data; name=a; filename=b\r\n',
  "; filename*=utf-8''%e2%82",
  '; name="b"',
  'Content-Type: multipart/mixed; boundary=c\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  ': ',
  '"',
  '\\"',
].map((word) => Buffer.from(word));

function generate(chance: Chance, world: World): FuzzCase {
  const boundary = pick(chance, boundaries);
  const { parts, meant } = made(chance, world, boundary);
  const body = multipartBody(boundary, parts);
  const type = `multipart/form-data; boundary="${boundary}"`;
  if (sometimes(chance, 0.35)) return plainCase({ ...dressed(chance, type, body), meant });
  if (sometimes(chance, 0.15)) {
    return plainCase(dressed(chance, headerSafe(mutateText(chance, type)), body));
  }
  if (sometimes(chance, 0.03)) {
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n`;
    return plainCase(dressed(chance, type, Buffer.from(part.repeat(pick(chance, [199, 201, 20_000])))));
  }
  if (sometimes(chance, 0.03)) {
    const line = `X-A: ${'x'.repeat(100)}\r\n`.repeat(pick(chance, [10, 20, 100, 5_000]));
    return plainCase(dressed(chance, type, Buffer.from(`--${boundary}\r\n${line}\r\n\r\n--${boundary}--`)));
  }
  return plainCase(dressed(chance, type, mutateBytes(chance, body, words)));
}

async function judge(world: World, sent: Sent): Promise<string | null> {
  const { meant } = sent.fuzzCase;
  if (meant === undefined) return null;
  const [answer] = sent.seen.answers;
  const id = answer ? acceptedId(answer) : null;
  if (answer?.status === 413 && meant.files.length > 0) return null;
  const fault = judgeMeaning(world, sent, { data: meant.fields, isSpam: meant.fields === '' });
  if (fault !== null || id === null) return fault;
  const files = world.rows<{ field: string; sha256: string }>(
    'SELECT field_name AS field, lower(sha256) AS sha256 FROM files WHERE submission_id = ? ORDER BY rowid',
    id,
  );
  const asText = (list: Meant['files']): string => list.map((file) => `${file.field} ${file.sha256}`).join();
  return asText(files) === asText(meant.files)
    ? null
    : `meaning: files ${asText(files)} instead of ${asText(meant.files)}`;
}

export const multipart = (world: World): Play => ({
  name: 'multipart',
  atOnce: 16,
  generate: (chance) => generate(chance, world),
  judge: (sent) => judge(world, sent),
  account: submissionAccount(world),
});
