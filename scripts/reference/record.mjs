/**
 * Records docs/reference/examples.json: a request and a response of every operation, every event, every webhook and every metric,
 * as a real instance sent them. Run by hand after the API has changed: `npm run docs:record`, then `npm run docs`.
 */
import { writeFile } from 'node:fs/promises';
import { startInstance } from './instance.mjs';
import { metricsIn } from './metrics.mjs';
import { createRecorder } from './recorder.mjs';
import { createStable } from './stable.mjs';
import { tell, waitFor } from './story.mjs';
import { startEndpoint, startMailServer } from './surroundings.mjs';

const file = new URL('../../docs/reference/examples.json', import.meta.url);
const apiKey = 'inlet_Qm7xB2vK9tL4wZ8nC1rF6yH3sP5dG0jE';

/** Follows the events of the account and records the first of each kind. */
async function followEvents(url) {
  const events = new Map();
  const ending = new AbortController();
  const response = await fetch(`${url}/api/v1/events`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: ending.signal,
  });
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop();
      for (const frame of frames) {
        const [, kind, data] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
        if (kind !== undefined && !events.has(kind)) events.set(kind, JSON.parse(data));
      }
    }
  })().catch((error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    events,
    end() {
      ending.abort();
      return reading;
    },
  };
}

/** The first request for each event that the endpoint received. */
function webhooksOf(received) {
  const webhooks = {};
  for (const { headers, body } of received) {
    const { event } = JSON.parse(body);
    // Headers that belong to the connection, not to the webhook.
    const { host, connection, 'content-length': length, 'accept-encoding': encoding, ...shown } = headers;
    webhooks[event] ??= { headers: shown, body: JSON.parse(body) };
  }
  return webhooks;
}

const endpoint = await startEndpoint();
const mailServer = await startMailServer();
const instance = await startInstance({
  INLET_API_KEY: apiKey,
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'Forms <forms@example.com>',
  RATE_LIMIT_PER_MINUTE: '1000',
  WEBHOOK_RETRY_DELAYS: '5,5,5,5',
  DESTINATION_DISABLE_AFTER: '20 s',
});
const startedAt = Date.now() - 1_000;
const known = new Map([[endpoint.url, 'https://hooks.example.com']]);
try {
  const document = await (await fetch(`${instance.url}/openapi.json`)).json();
  const recorder = createRecorder({ url: instance.url, document, apiKey });
  const stream = await followEvents(instance.url);
  const know = (real, shown) => known.set(real, shown);
  await tell({ ...recorder, ...instance, know, endpoint, mailServer, events: stream.events });
  await waitFor('a heartbeat', () => stream.events.has('heartbeat'));
  await stream.end();
  const [kind, data] = [...stream.events][0];
  recorder.note('followEvents', {
    request: { caller: 'key', params: {}, query: {}, headers: {} },
    response: {
      status: 200,
      headers: {},
      type: 'text/event-stream',
      body: `retry: 3000\n\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`,
    },
  });
  const missing = recorder.missing();
  if (missing.length > 0) throw new Error(`Not called: ${missing.join(', ')}`);
  const stable = createStable({ startedAt, known: [...known, ['127.0.0.1', '192.0.2.7']] });
  const recording = {
    operations: recorder.exchanges(),
    events: Object.fromEntries(stream.events),
    webhooks: webhooksOf(endpoint.received),
    metrics: metricsIn(await (await fetch(`${instance.url}/metrics`)).text()),
  };
  await writeFile(file, `${JSON.stringify(stable(recording), null, 2)}\n`);
} finally {
  await instance.stop();
  mailServer.stop();
  endpoint.stop();
}
