/**
 * /inlet-solver.js: fetches the challenge of a form and solves it in workers. The same file is the worker. A page may
 * not start a worker from another origin's file, so the worker is created from the file's text. Where the page's policy
 * forbids that too, the page solves the challenge itself, in slices.
 */
import { type Parameters, type Solution, search } from './search.js';

interface Task {
  readonly parameters: Parameters;
  readonly first: number;
  readonly step: number;
}

interface Token {
  readonly payload: string;
  readonly expiresAt: number | undefined;
}

const maxWorkers = 4;
const sliceMs = 12;
/** A token this close to its expiry may have expired when it arrives. */
const marginSeconds = 10;

async function searchInWorkers(parameters: Parameters, source: string): Promise<Solution> {
  const text = await (await fetch(source)).text();
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const workers: Worker[] = [];
  try {
    return await new Promise<Solution>((resolve, reject) => {
      const step = Math.min(maxWorkers, navigator.hardwareConcurrency || 1);
      for (let first = 0; first < step; first += 1) {
        const worker = new Worker(address);
        workers.push(worker);
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = reject;
        worker.postMessage({ parameters, first, step } satisfies Task);
      }
    });
  } finally {
    for (const worker of workers) worker.terminate();
    URL.revokeObjectURL(address);
  }
}

function offerSolver(script: HTMLScriptElement): void {
  const begun = new Map<string, Promise<Token>>();

  const make = async (endpoint: string): Promise<Token> => {
    const answer = await fetch(`${endpoint}/challenge`, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      credentials: 'omit',
    });
    if (!answer.ok) throw new Error(`No challenge: ${answer.status}`);
    const challenge = (await answer.json()) as { readonly parameters: Parameters };
    const { parameters } = challenge;
    const solution = await searchInWorkers(parameters, script.src).catch(() =>
      search(parameters, 0, 1, sliceMs),
    );
    return { payload: btoa(JSON.stringify({ challenge, solution })), expiresAt: parameters.expiresAt };
  };

  const isGood = ({ expiresAt }: Token): boolean =>
    expiresAt === undefined || expiresAt > Date.now() / 1000 + marginSeconds;

  /** Returns each token only once. */
  const take = async (endpoint: string): Promise<string> => {
    const early = await begun.get(endpoint)?.catch(() => null);
    begun.delete(endpoint);
    // The expiry of a new token is not checked: the visitor's clock may be wrong, the service's is not.
    return (early && isGood(early) ? early : await make(endpoint)).payload;
  };

  const solver = async (endpoint: string, isWanted: boolean): Promise<string> => {
    if (isWanted) return take(endpoint);
    if (!begun.has(endpoint)) {
      const token = make(endpoint);
      begun.set(endpoint, token);
      await token;
    }
    return '';
  };
  script.dispatchEvent(new CustomEvent('inlet:solver', { detail: solver }));
}

if (typeof document === 'undefined') {
  globalThis.onmessage = ({ data }: MessageEvent<Task>) => {
    const { parameters, first, step } = data;
    search(parameters, first, step, Number.POSITIVE_INFINITY).then(
      (solution) => globalThis.postMessage(solution),
      // Thrown outside the promise, so that the page gets an error event.
      (fault) =>
        setTimeout(() => {
          throw fault;
        }),
    );
  };
} else if (document.currentScript instanceof HTMLScriptElement) {
  offerSolver(document.currentScript);
}
