/** Runs the built command line as a user would, with nothing of ours in its environment. */
import { spawn } from 'node:child_process';
import { type Answer, request } from './client.js';
import { engineSettings } from './engine.js';
import { pauses } from './pauses.js';
import { entry, node, plainEnvironment } from './server.js';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Parses the only line of standard output. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  json(): any;
}

/** The complaints of a command. On a busy machine commands take so long that they also report progress. */
export const complaints = ({ stderr }: Ran): string =>
  stderr.replace(/^(?:[A-Z][a-z]+ing |Rows: ).*\n/gm, '');

export interface RunOptions {
  readonly dataDir: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
}

export async function inlet(words: readonly string[], options: RunOptions): Promise<Ran> {
  const engine = await engineSettings(options.dataDir);
  const child = spawn(node, [entry, ...words], {
    env: { ...plainEnvironment(), DATA_DIR: options.dataDir, ...engine, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A test run that dies must not leave a server running whose start should have been refused.
  const killLast = (): void => void child.kill('SIGKILL');
  process.once('exit', killLast);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  // A command that does not read its input may exit before it is written.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', killLast);
      resolve({
        code,
        stdout,
        stderr,
        json() {
          if (code !== 0 || !/^[^\n]+\n$/.test(stdout)) {
            throw new Error(`No JSON line: ${code}\n${stdout}\n${stderr}`);
          }
          return JSON.parse(stdout);
        },
      });
    });
  });
}

/** Long work reports progress every few seconds. On a busy machine, short work is long. */
export const withoutProgress = (ran: Ran): Ran => ({
  ...ran,
  stderr: ran.stderr.replaceAll(/^\S.* {2}[█░]+ {2}.*\n|^Checking the database\n/gm, ''),
});

export const inletJson = async (words: readonly string[], options: RunOptions) =>
  (await inlet([...words, '--json'], options)).json();

/** Calls `ask` until the result is right. Otherwise only the limit of the test itself ends it. */
export async function until<T>(ask: () => Promise<T> | T, isRight: (answer: T) => boolean): Promise<T> {
  const pause = pauses();
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    await pause();
  }
}

/** A submission with one file. */
export function upload(endpoint: string, text: string, filename = 'note.txt'): Promise<Answer> {
  const body = new FormData();
  body.set('name', 'Ada');
  body.set('note', new Blob([text], { type: 'text/plain' }), filename);
  return request(endpoint, { method: 'POST', headers: { accept: 'application/json' }, body });
}
