/** Talks to the service: requests that always end and are retried when lost, and the challenge solver, loaded on demand. */

export interface Answer {
  /** 0: there was no response, or this page may not read it. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  /** The page that the owner wants the visitor to see next; empty for none. */
  readonly redirect: string;
}

interface Outgoing {
  readonly key: string;
  /** For the service's messages. */
  readonly language: string;
  readonly body: FormData | URLSearchParams;
  readonly onProgress: ((loaded: number, total: number) => void) | undefined;
}

/** A connection without progress for this long is given up. A slow upload keeps making progress. */
const maxStallMs = 30_000;

function exchange(url: string, signal: AbortSignal, outgoing?: Outgoing): Promise<Answer> {
  return new Promise((resolve) => {
    // Not fetch: it does not report upload progress.
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    let timer = 0;
    const moved = (): void => {
      clearTimeout(timer);
      timer = setTimeout(stop, maxStallMs);
    };
    request.open(outgoing ? 'POST' : 'GET', url);
    request.responseType = 'json';
    request.onprogress = moved;
    request.onloadend = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      const { status, response } = request;
      const wait = status === 429 || status === 503 ? Number(request.getResponseHeader('Retry-After')) : 0;
      // Not by name: the browser logs an error when the page asks for a header that it cannot read.
      const [, redirect = ''] = /^x-success-redirect: *(.*)/im.exec(request.getAllResponseHeaders()) || [];
      resolve({ status, body: response || {}, retryAfterSeconds: wait || undefined, redirect });
    };
    signal.addEventListener('abort', stop);
    if (outgoing) {
      request.setRequestHeader('Accept', 'application/json');
      request.setRequestHeader('Accept-Language', outgoing.language);
      request.setRequestHeader('Idempotency-Key', outgoing.key);
      request.upload.onprogress = ({ loaded, total }) => {
        moved();
        if (outgoing.onProgress) outgoing.onProgress(loaded, total);
      };
    }
    moved();
    request.send(outgoing?.body);
  });
}

/** Browsers hide why a response is unreadable, so every page may read this endpoint. Returns '' when it reports no obstacle. */
async function obstacle(endpoint: string, signal: AbortSignal): Promise<string> {
  const { is_open, origin_allowed } = (await exchange(`${endpoint}/access`, signal)).body;
  return is_open === false ? 'form_inactive' : origin_allowed === false ? 'origin_not_allowed' : '';
}

/** Delays before a lost request is retried. The idempotency key ensures that it is stored only once. */
const delaysMs = [1_000, 2_000, 4_000];
/** A visitor would not wait longer than this while the form seems to do nothing. */
const maxWaitMs = 10_000;

function delayMs({ status, retryAfterSeconds = 0 }: Answer, tries: number): number {
  const delay = delaysMs[tries] || 0;
  if (!status || !delay) return delay;
  const wait = retryAfterSeconds * 1_000;
  return wait > maxWaitMs ? 0 : wait;
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
    setTimeout(resolve, ms);
  });

/** Retries until the service accepts or rejects the request, the visitor cancels, or it is up to the visitor to try again. */
export async function post(endpoint: string, signal: AbortSignal, outgoing: Outgoing): Promise<Answer> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    const answer = await exchange(endpoint, signal, outgoing);
    // Cancelled without a response: there is nothing to report.
    if (!answer.status && signal.aborted) break;
    const code = answer.status ? '' : await obstacle(endpoint, signal);
    if (code) return { ...answer, body: { code } };
    const delay = delayMs(answer, tries);
    if (!delay) return answer;
    await rest(delay, signal);
  }
  return { status: 0, body: { code: 'aborted' }, retryAfterSeconds: undefined, redirect: '' };
}

/** Makes the token for a form's challenge. With `take` false it only starts to. */
export type Solver = (endpoint: string, take: boolean) => Promise<string>;

let solver: Promise<Solver> | undefined;

/** Loads the solver when it is first needed. It passes itself on with an event on its script element, so nothing is global. */
export function loadSolver(base: string, nonce: string | undefined): Promise<Solver> {
  solver =
    solver ||
    new Promise<Solver>((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${base}inlet-solver.js`;
      if (nonce) script.nonce = nonce;
      script.addEventListener('inlet:solver', (event) => resolve((event as CustomEvent<Solver>).detail));
      // Rejects on load too: an image named `currentScript` may prevent the event. By now the event has come, or never will.
      script.onload = script.onerror = () => {
        reject();
      };
      document.head.append(script);
    });
  solver.catch(() => {
    solver = undefined;
  });
  return solver;
}
