/**
 * Everything that people do with a form service, at once and at a fixed pace: visitors who send JSON, forms and files,
 * bots that fall for the honeypot, and owners who list, search, export, and view images and statistics.
 *
 * Like with real users, a request is sent when due, whether or not earlier ones have a response. But at most `maxAtOnce`
 * are in flight: what a hanging server does not take is counted as left out.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { Agent, FormData, request } from 'undici';
import { apiKey } from '../servers/processes.mjs';

const maxAtOnce = 128;
const timeoutMs = 30_000;
const owner = { authorization: `Bearer ${apiKey}` };
const json = { 'content-type': 'application/json' };
const admin = { email: 'ada@example.com', password: 'correct horse battery' };

export const adminSettings = { INLET_ADMIN_EMAIL: admin.email, INLET_ADMIN_PASSWORD: admin.password };

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const pick = (list) => list[Math.floor(Math.random() * list.length)];

const message = 'I would like to know more about the analytical engine and what it could do for us. ';

/** Search finds words, and the id without its dashes is one word. */
export const wordOf = (clientId) => `w${clientId.replaceAll('-', '')}`;

const fieldsOf = (clientId) => ({
  client_id: clientId,
  word: wordOf(clientId),
  name: 'Ada Lovelace',
  message: message.repeat(1 + Math.floor(Math.random() * 12)),
});

/** Almost as many fields and bytes as one JSON body may have. */
const largeFields = (clientId) => ({
  ...fieldsOf(clientId),
  ...Object.fromEntries(Array.from({ length: 950 }, (_, i) => [`field_${i}`, message.repeat(12)])),
});

function multipartOf(fields, file) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('upload', new Blob([file.bytes], { type: file.type }), file.name);
  return body;
}

/**
 * `server` returns the current server, `formOf` the `{ formId, path }` for a submission. `acknowledged` is called for each
 * acknowledged submission, and `answered(kind, status, ms, headers)` for each response; status 0 means no response.
 */
export async function createMixedLoad({ server, formOf, answered, acknowledged }) {
  const dispatcher = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 4_000 });
  const picture = await sharp({
    create: { width: 1200, height: 900, channels: 3, background: { r: 21, g: 127, b: 123 } },
  })
    .png()
    .toBuffer();
  /** File ids of the last uploaded images. */
  const pictures = [];

  async function send(kind, path, options = {}) {
    const startedAt = performance.now();
    const url = path.startsWith('http') ? path : server().url + path;
    try {
      const answer = await request(url, {
        dispatcher,
        signal: AbortSignal.timeout(timeoutMs),
        ...options,
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      answered(kind, answer.statusCode, performance.now() - startedAt, answer.headers);
      return { status: answer.statusCode, headers: answer.headers, bytes };
    } catch (error) {
      answered(kind, 0, performance.now() - startedAt, {}, error);
      return null;
    }
  }

  const read = (kind, path) => send(kind, path, { headers: owner });

  async function submit(kind, clientId, form, options, file = null) {
    const answer = await send(kind, form.path, {
      method: 'POST',
      ...options,
      headers: { accept: 'application/json', ...options.headers },
    });
    if (answer?.status !== 200) return null;
    const { submission_id: id, files } = JSON.parse(answer.bytes.toString());
    acknowledged({
      id,
      clientId,
      form,
      at: Date.now(),
      file: file && { id: files[0]?.id, sha256: file.sha256 },
    });
    return { id, fileId: files[0]?.id ?? null };
  }

  async function upload(kind, bytes, name, type) {
    const clientId = randomUUID();
    const file = { bytes, name, type, sha256: sha256(bytes) };
    const body = multipartOf(fieldsOf(clientId), file);
    return submit(kind, clientId, formOf(kind), { body }, file);
  }

  const kinds = {
    json(kind) {
      const clientId = randomUUID();
      const body = JSON.stringify(fieldsOf(clientId));
      return submit(kind, clientId, formOf(kind), { headers: json, body });
    },
    large(kind) {
      const clientId = randomUUID();
      const body = JSON.stringify(largeFields(clientId));
      return submit(kind, clientId, formOf(kind), { headers: json, body });
    },
    urlencoded(kind) {
      const clientId = randomUUID();
      const body = new URLSearchParams(fieldsOf(clientId)).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return submit(kind, clientId, formOf(kind), { headers, body });
    },
    file: (kind) => upload(kind, randomBytes(100_000), 'notes.bin', 'application/octet-stream'),
    async picture(kind) {
      // A few bytes after its end make each one a different file.
      const sent = await upload(kind, Buffer.concat([picture, randomBytes(8)]), 'photo.png', 'image/png');
      if (sent?.fileId) pictures.push(sent.fileId);
      if (pictures.length > 20) pictures.shift();
    },
    /** Gets the same response as a submission, but does not count as one. */
    honeypot: (kind) =>
      send(kind, formOf(kind).path, {
        method: 'POST',
        headers: { accept: 'application/json', ...json },
        body: JSON.stringify({ ...fieldsOf(randomUUID()), _gotcha: 'buy now' }),
      }),
    list: (kind) => read(kind, `/api/v1/forms/${formOf(kind).formId}/submissions?limit=100`),
    search: (kind) => read(kind, `/api/v1/forms/${formOf(kind).formId}/submissions?limit=50&q=engine`),
    export: (kind) =>
      read(kind, `/api/v1/forms/${formOf(kind).formId}/submissions/export?format=${pick(['csv', 'jsonl'])}`),
    async variant(kind) {
      const id = pick(pictures);
      if (id === undefined) return;
      const width = 100 + 10 * Math.floor(Math.random() * 20);
      const found = await read(kind, `/api/v1/files/${id}/download?w=${width}&f=webp`);
      const location = found?.headers.location;
      if (location) await send(`${kind} content`, new URL(location, server().url).href);
    },
    async numbers(kind) {
      await read(kind, '/api/v1/stats');
      await read(kind, '/api/v1/attention');
      await read(kind, '/api/v1/instance');
    },
    deliveries: (kind) => read(kind, `/api/v1/forms/${formOf(kind).formId}/deliveries?limit=100`),
    signIn: (kind) =>
      send(kind, '/api/v1/session', {
        method: 'POST',
        headers: { ...json, origin: server().url },
        body: JSON.stringify(admin),
      }),
  };

  /** `rates` has the requests per second of each kind. Once all in flight have ended, resolves with the number left out. */
  async function run(rates, isOver) {
    const plan = Object.entries(rates).map(([kind, perSecond]) => {
      if (!kinds[kind]) throw new Error(`there is no load of the kind ${kind}`);
      const everyMs = 1000 / perSecond;
      return { kind, everyMs, due: performance.now() + Math.random() * everyMs };
    });
    const underWay = new Set();
    let leftOut = 0;
    await new Promise((resolve) => {
      const timer = setInterval(() => {
        if (isOver()) {
          clearInterval(timer);
          resolve();
          return;
        }
        const now = performance.now();
        for (const one of plan) {
          for (; one.due <= now; one.due += one.everyMs) {
            if (underWay.size >= maxAtOnce) {
              leftOut += 1;
              continue;
            }
            const work = kinds[one.kind](one.kind).finally(() => underWay.delete(work));
            underWay.add(work);
          }
        }
      }, 5);
    });
    await Promise.all(underWay);
    return leftOut;
  }

  return { run, send, kinds, close: () => dispatcher.destroy() };
}
