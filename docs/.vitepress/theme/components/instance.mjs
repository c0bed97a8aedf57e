/** Requests to the instance that serves this page. Nothing is sent before the reader clicks. */
import { withBase } from 'vitepress';
import { ref } from 'vue';

/** In the memory of the page, for all forms on it; gone when the page is closed. */
export const apiKey = ref('');

const shownHeaders = ['content-type', 'content-disposition', 'location', 'retry-after', 'x-request-id'];
/** More than anybody reads; an event stream would otherwise grow without end. */
const mostCharacters = 50_000;

/** The instance is one level above its documentation. */
const root = () => withBase('/').replace(/docs\/$/, '');

/** A static copy of this site has no instance behind it. */
export async function isServed() {
  const response = await fetch(`${root()}healthz`).catch(() => null);
  const health = response?.ok ? await response.json().catch(() => null) : null;
  return health?.status === 'ok';
}

export function addressOf({ path, inputs }, values) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams(
    inputs
      .filter(({ place, name }) => place === 'query' && values[name])
      .map(({ name }) => [name, values[name]]),
  ).toString();
  return `${filled}${query && `?${query}`}`;
}

function headersOf({ inputs, type, takesKey }, values) {
  const named = inputs.filter(({ place, name }) => place === 'header' && values[name]);
  return {
    accept: 'application/json, */*;q=0.5',
    ...(takesKey && apiKey.value && { authorization: `Bearer ${apiKey.value}` }),
    ...(type && { 'content-type': type }),
    ...Object.fromEntries(named.map(({ name }) => [name, values[name]])),
  };
}

const isReadable = (type) => /^text\/|json|xml/.test(type);

const pretty = (type, text) => {
  if (!/json$/.test(type.split(';')[0])) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Tells `show` of the response as it arrives: a stream of events has no end. */
export async function send(operation, values, body, { signal, show }) {
  const startedAt = performance.now();
  const response = await fetch(`${root().replace(/\/$/, '')}${addressOf(operation, values)}`, {
    method: operation.method,
    headers: headersOf(operation, values),
    credentials: 'same-origin',
    signal,
    ...(operation.type && { body }),
  });
  const type = response.headers.get('content-type') ?? '';
  const told = {
    status: `${response.status} ${response.statusText}`.trim(),
    isError: !response.ok,
    durationMs: Math.round(performance.now() - startedAt),
    headers: shownHeaders
      .filter((name) => response.headers.has(name))
      .map((name) => [name, response.headers.get(name)]),
  };
  if (!isReadable(type)) {
    const { byteLength } = await response.arrayBuffer();
    return show({ ...told, body: byteLength === 0 ? '' : `${byteLength.toLocaleString('en')} bytes` });
  }
  let text = '';
  show({ ...told, body: text });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (
    let part = await reader.read();
    !part.done && text.length < mostCharacters;
    part = await reader.read()
  ) {
    text += part.value;
    show({ ...told, body: text });
  }
  show({ ...told, body: pretty(type, text) });
}
