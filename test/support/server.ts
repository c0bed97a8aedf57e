/** A real Inlet in its own process, on loopback, a free port and temporary data. It is removed with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchServer } from './document-check.js';
import { dropEngine, engineSettings } from './engine.js';
import { freePort } from './free-port.js';
import { pauses } from './pauses.js';

export { freePort };

export const entry = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));
/** The Node that runs it: the oldest supported one, unless the project tests another. */
export const node = process.env.INLET_TEST_NODE ?? process.execPath;
export const apiKey = 'test-key-0123456789abcdef';

export const temporaryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'inlet-test-'));

/** Only what a process needs to run, so that none of our own settings leak in. */
export const plainEnvironment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...(process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }),
});

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** Everything it has written so far. */
  output(): string;
  /** Resolves with the exit code (null after a signal). */
  readonly exited: Promise<number | null>;
  /** Stops it and resolves with its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
}

export interface ServerOptions {
  readonly env?: Record<string, string>;
  /** Continues on the data of an earlier server. */
  readonly dataDir?: string;
  readonly port?: number;
  /** Arguments after `serve`. */
  readonly words?: readonly string[];
  /** Arguments for node itself, before the program. */
  readonly nodeArguments?: readonly string[];
  /** How many descriptors it may have open. */
  readonly maxDescriptors?: number;
}

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const engine = await engineSettings(dataDir);
  const words = [...(options.nodeArguments ?? []), entry, 'serve', ...(options.words ?? [])];
  const limited = ['-c', `ulimit -n ${options.maxDescriptors}; exec "$0" "$@"`, node];
  const [command, prefix] = options.maxDescriptors === undefined ? [node, []] : ['sh', limited];
  const child = spawn(command, [...prefix, ...words], {
    env: {
      ...plainEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      INLET_API_KEY: apiKey,
      LOG_LEVEL: 'warn',
      ...engine,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  // A test run that dies must not leave servers behind.
  const killLast = (): void => void child.kill('SIGKILL');
  process.once('exit', killLast);

  const server: RunningServer = {
    url,
    port,
    dataDir,
    process: child,
    output: () => output,
    exited,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      process.off('exit', killLast);
      return code;
    },
    async dispose() {
      if (!ended) await server.end('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
      await dropEngine(dataDir);
    },
  };
  const pause = pauses();
  while (!ended) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    if (answer?.ok) {
      await watchServer(url);
      return server;
    }
    await pause();
  }
  throw new Error(`The server ended before it answered:\n${output}`);
}
