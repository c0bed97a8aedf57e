/** A real Redis: loopback, a free port, a temporary folder, nothing on disk. Never the machine's own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../free-port.js';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** `kill` is a crash. */
  stop(mode?: 'quit' | 'kill'): Promise<void>;
  /** Starts it again on the same port, without data. */
  start(): Promise<void>;
  /** Accepts connections but does not respond, until `resume`. */
  pause(): void;
  resume(): void;
  pid(): number;
  /** Stops it and removes its folder. */
  dispose(): Promise<void>;
}

// Redis and Valkey speak the same protocol.
const programs = ['redis-server', 'valkey-server'];

/** The program of the installed server. Returns null when none is installed. */
export function findRedis(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const program of programs) {
    const folder = folders.find((name) => existsSync(join(name, program)));
    if (folder !== undefined) return join(folder, program);
  }
  return null;
}

/** `settings` as on the command line of the server: `['--requirepass', 'secret']`. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const program = findRedis();
  if (program === null) throw new Error('Redis is not installed: sudo apt-get install redis-server');
  const folder = await mkdtemp(join(tmpdir(), 'inlet-redis-'));
  const port = await freePort();
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  // Many, because each test that needs its own database takes the next one.
  const flags = [...fixed, '--appendonly', 'no', '--databases', '4096', ...settings];
  let child: ChildProcess | null = null;
  let log = '';

  const running = (): ChildProcess & { pid: number } => {
    if (child?.pid === undefined) throw new Error('Redis is not running');
    return child as ChildProcess & { pid: number };
  };

  const start = async (): Promise<void> => {
    const started = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    const isReady = new Promise<void>((resolve, reject) => {
      started.stdout.on('data', (chunk) => {
        log = (log + chunk).slice(-20_000);
        if (String(chunk).includes('eady to accept connections')) resolve();
      });
      started.stderr.on('data', (chunk) => {
        log = (log + chunk).slice(-20_000);
      });
      started.once('error', reject);
      started.once('exit', () => reject(new Error(`Redis did not start:\n${log}`)));
    });
    await isReady;
  };

  const stop = async (mode: 'quit' | 'kill' = 'quit'): Promise<void> => {
    const ending = child;
    child = null;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.once('exit', resolve));
    // A paused process handles SIGTERM only once it is resumed.
    ending.kill('SIGCONT');
    ending.kill(mode === 'quit' ? 'SIGTERM' : 'SIGKILL');
    await exited;
  };

  // A test run that dies must not leave servers behind.
  process.once('exit', () => void child?.kill('SIGKILL'));
  await start();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    start,
    stop,
    pause: () => void running().kill('SIGSTOP'),
    resume: () => void running().kill('SIGCONT'),
    pid: () => running().pid,
    async dispose() {
      await stop('kill');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An empty database of its own on a running server. They are assigned in turn, also across test processes. */
export async function newRedisDatabase(serverUrl: string): Promise<{ url: string }> {
  const url = new URL(serverUrl);
  url.pathname = '/0';
  const client = new Redis(url.href, { maxRetriesPerRequest: 0 });
  try {
    const [, databases] = (await client.config('GET', 'databases')) as string[];
    const turn = await client.incr('test:databases-handed-out');
    const number = 1 + ((turn - 1) % (Number(databases ?? 16) - 1));
    await client.select(number);
    await client.flushdb();
    url.pathname = `/${number}`;
    return { url: url.href };
  } finally {
    client.disconnect();
  }
}
