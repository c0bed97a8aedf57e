/**
 * Where a body ends: false lengths, transfer codings, chunks with wrong bytes. Some bodies never end: the client then ends its side and
 * must get a response or be disconnected. What follows a body that ends early is read as another request.
 */
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play } from '../engine.js';
import { mutateBytes, pick, sometimes } from '../mutate.js';
import type { World } from '../world.js';
import { bodies } from './submit-headers.js';
import { submissionAccount } from './submitting.js';

const kinds = [
  ['application/json', bodies.json],
  ['application/x-www-form-urlencoded', bodies.form],
  ['multipart/form-data; boundary=b', bodies.parts],
] as const;

const lengths = [
  '0',
  '1',
  '5',
  '1000',
  '1048577',
  '99999999999',
  '-1',
  '+5',
  '0x5',
  '5, 5',
  '1e1',
  ' ',
  '\u0663',
];
const codings = ['chunked', 'Chunked', 'chunked, chunked', 'gzip, chunked', 'identity', 'xchunked', ''];
const words = [
  '0\r\n\r\n',
  '\r\n',
  '5\r\n',
  'ffffffff\r\n',
  ';a=b\r\n',
  '\n',
  'X-A: b\r\n',
  'POST /f/x HTTP/1.1\r\n',
].map((word) => Buffer.from(word));

function generate(chance: Chance): FuzzCase {
  const [type, content] = pick(chance, kinds);
  const chunked = Buffer.from(`${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`);
  const isChunked = sometimes(chance, 0.5);
  const headers = [`Content-Type: ${type}`];
  if (!isChunked || sometimes(chance, 0.1)) {
    const length = sometimes(chance, 0.3) ? String(content.length) : pick(chance, lengths);
    headers.push(Buffer.from(`Content-Length: ${length}`).toString('latin1'));
  }
  if (isChunked)
    headers.push(`Transfer-Encoding: ${sometimes(chance, 0.7) ? 'chunked' : pick(chance, codings)}`);
  const body = isChunked ? chunked : Buffer.from(content);
  return plainCase({
    method: sometimes(chance, 0.95) ? 'POST' : pick(chance, ['GET', 'OPTIONS', 'HEAD']),
    path: '/f/{{form}}',
    headers,
    body: sometimes(chance, 0.3) ? body : mutateBytes(chance, body, words),
    framing: 'as written',
    pieces: sometimes(chance, 0.7) ? 1 : pick(chance, [2, 5, 20]),
  });
}

export const framing = (world: World): Play => ({
  name: 'framing',
  // Many at once, because all cases with a false length wait for the same time.
  atOnce: 64,
  generate,
  account: submissionAccount(world),
});
