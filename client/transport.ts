/** The way to the service: one request, and the solver of its challenge when there is one. */

export interface Answer {
  /** 0: there was none, or this page may not read it. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;
}

export function post(
  endpoint: string,
  key: string,
  body: FormData | URLSearchParams,
  onProgress: ((loaded: number, total: number) => void) | undefined,
): Promise<Answer> {
  return new Promise((resolve) => {
    // Not fetch: it does not tell how far an upload has come.
    const request = new XMLHttpRequest();
    request.open('POST', endpoint);
    request.responseType = 'json';
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Idempotency-Key', key);
    if (onProgress) request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
    request.onloadend = () => {
      const { status, response } = request;
      const wait = status === 429 || status === 503 ? Number(request.getResponseHeader('Retry-After')) : 0;
      resolve({ status, body: response || {}, retryAfterSeconds: wait || undefined });
    };
    request.send(body);
  });
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
      script.onerror = () => {
        solver = undefined;
        reject();
      };
      document.head.append(script);
    });
  return solver;
}
