/** The head of a submission: types, charsets, boundaries, keys, origins, and lines that are no header. */
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play } from '../engine.js';
import { headerSafe, mutateText, oddText, pathSafe, pick, sometimes } from '../mutate.js';
import type { World } from '../world.js';
import { submissionAccount } from './submitting.js';

const usualTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
];

export const bodies = {
  json: '{"name":"Ada"}',
  form: 'name=Ada&a=1',
  parts: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
};
const bodyFor = (type: string): Buffer =>
  Buffer.from(type.includes('json') ? bodies.json : type.includes('multipart') ? bodies.parts : bodies.form);

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="utf-16"',
  'application/x-www-form-urlencoded; charset=iso-8859-1',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'multipart/form-data; boundary="b"; charset=utf-8',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
  'multipart/mixed; boundary=b',
  'text/plain',
  '*/*',
];

const lines: readonly string[] = [
  'Idempotency-Key: a-key',
  'Idempotency-Key: ',
  `Idempotency-Key: ${'k'.repeat(256)}`,
  'Origin: https://example.com',
  'Origin: null',
  'Origin: http://localhost:3000',
  'Origin: https://[::1',
  'Referer: https://example.com/form?a=b',
  'Referer: javascript:alert(1)',
  'X-Service-Key: wrong',
  'X-Forwarded-For: 1.2.3.4, 127.0.0.1',
  'X-Forwarded-For: ::ffff:1.2.3.4%eth0',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Expect: 200-maybe',
  'Connection: close',
  'Connection: upgrade',
  'Upgrade: websocket',
  'Cookie: __Host-inlet_session=x',
  'User-Agent: x',
  'Accept-Language: de;q=0.x,*',
  'Accept: text/html',
  'TE: trailers',
  'Trailer: X-A',
];

function generate(chance: Chance): FuzzCase {
  const type = pick(chance, sometimes(chance, 0.5) ? usualTypes : types);
  const more = Array.from({ length: pick(chance, [0, 1, 2, 4]) }, () => {
    const line = pick(chance, lines);
    return sometimes(chance, 0.7) ? line : headerSafe(mutateText(chance, line));
  });
  if (sometimes(chance, 0.02)) more.push(...Array.from({ length: 120 }, (_, n) => `X-${n}: x`));
  if (sometimes(chance, 0.02)) more.push(`X-Long: ${'x'.repeat(20_000)}`);
  // A line that is no header makes the request invalid. It must still get a response.
  if (sometimes(chance, 0.05)) more.push(headerSafe(oddText(chance)));
  const path = sometimes(chance, 0.9)
    ? '/f/{{form}}'
    : pathSafe(mutateText(chance, '/f/{{form}}?a=b')) || '/';
  const method = sometimes(chance, 0.9) ? 'POST' : pick(chance, ['GET', 'OPTIONS', 'HEAD', 'PUT', 'DELETE']);
  const said = sometimes(chance, 0.8) ? type : headerSafe(mutateText(chance, type));
  const content = bodyFor(type);
  // Headers that control the connection may end it, and then closing is a valid outcome.
  const isSteering = more.some((line) =>
    /^(content-length|transfer-encoding|connection|upgrade|expect)\b/i.test(line),
  );
  return plainCase({
    method,
    path,
    headers: [`Content-Type: ${said}`, ...more, ...(isSteering ? [`Content-Length: ${content.length}`] : [])],
    body: content,
    pieces: sometimes(chance, 0.8) ? 1 : 3,
    framing: isSteering ? 'as written' : 'length',
  });
}

export const submitHeaders = (world: World): Play => ({
  name: 'submit-headers',
  atOnce: 32,
  generate,
  account: submissionAccount(world),
});
