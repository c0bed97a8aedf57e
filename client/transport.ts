/** The way to the service: requests that end, sent again where they were lost, and the solver of its challenge when there is one. */

export interface Answer {
  /** 0: there was none, or this page may not read it. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
  /** The page that the owner wants the visitor to see next; empty: none. */
  readonly redirect: string;
}

interface Outgoing {
  readonly key: string;
  /** Of the messages that the service writes. */
  readonly language: string;
  readonly body: FormData | URLSearchParams;
  readonly onProgress: ((loaded: number, total: number) => void) | undefined;
}

/** A connection on which nothing moves for so long is given up. A slow upload moves all the time. */
const maxStallMs = 30_000;

function exchange(url: string, signal: AbortSignal, outgoing?: Outgoing): Promise<Answer> {
  return new Promise((resolve) => {
    // Not fetch: it does not tell how far an upload has come.
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
      // Not by its name: the browser complains about a header that is not there for the page to read.
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

/** Browsers hide from a page why it may not read a response. This much the service tells every page; empty: nothing is in the way. */
async function obstacle(endpoint: string, signal: AbortSignal): Promise<string> {
  const { is_open, origin_allowed } = (await exchange(`${endpoint}/access`, signal)).body;
  return is_open === false ? 'form_inactive' : origin_allowed === false ? 'origin_not_allowed' : '';
}

/** Before what was lost is sent again. The key sees to it that it is stored once. */
const delaysMs = [1_000, 2_000, 4_000];
/** Nobody waits for longer in front of a form that does nothing. */
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

/** Until the service has said yes or no, the visitor has cancelled, or it is time to ask the visitor. */
export async function post(endpoint: string, signal: AbortSignal, outgoing: Outgoing): Promise<Answer> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    const answer = await exchange(endpoint, signal, outgoing);
    // Nothing has arrived that would be worth telling.
    if (!answer.status && signal.aborted) break;
    const code = answer.status ? '' : await obstacle(endpoint, signal);
    if (code) return { ...answer, body: { code } };
    const delay = delayMs(answer, tries);
    if (!delay) return answer;
    await rest(delay, signal);
  }
  return { status: 0, body: { code: 'aborted' }, retryAfterSeconds: undefined, redirect: '' };
}

/** Makes the token for a form's challenge; with `take` false it only begins to. */
export type Solver = (endpoint: string, take: boolean) => Promise<string>;

let solver: Promise<Solver> | undefined;

/** Comes by itself when it is needed. It hands itself over by an event on its script element: nothing is global. */
export function loadSolver(base: string, nonce: string | undefined): Promise<Solver> {
  solver =
    solver ||
    new Promise<Solver>((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${base}inlet-solver.js`;
      if (nonce) script.nonce = nonce;
      script.addEventListener('inlet:solver', (event) => resolve((event as CustomEvent<Solver>).detail));
      // Also loaded it may be of no use, where an image named `currentScript` hides it: by then it has handed itself over, or never will.
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
