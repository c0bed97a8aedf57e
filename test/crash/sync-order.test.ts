/**
 * A power loss takes whatever was not synced, and no test can pull the plug. So this one checks the order instead: file synced, renamed,
 * folder synced, log written, log synced, and only then the first byte of the response.
 *
 * Checked twice: from inside with a preloaded hook, always, and from outside with strace, where it is available or can be installed. Only
 * strace sees what SQLite really does.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody, textPart } from '../support/bodies.js';
import { makeForm, request, submitJson } from '../support/client.js';
import { needs } from '../support/needs.js';
import { apiKey, entry, freePort, plainEnvironment, startServer } from '../support/server.js';
import {
  parseHook,
  parseStrace,
  type Submitted,
  syncFaults,
  type TraceEvent,
} from '../support/sync-trace.js';

interface Recording {
  readonly events: readonly TraceEvent[];
  readonly json: Submitted;
  readonly multipart: Submitted;
  /** One on its own, and some at the same time. */
  readonly small: readonly Submitted[];
}

async function submitFile(endpoint: string, marker: string, bytes: number): Promise<Submitted> {
  const upload = filePart('upload', 'a.txt', `${marker}${'x'.repeat(bytes)}`, 'text/plain');
  const answer = await request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', accept: 'application/json' },
    body: multipartBody('b', [textPart('note', marker), upload]),
  });
  expect(answer.status).toBe(200);
  return { marker, submissionId: answer.body.submission_id, withFile: true };
}

/** Sends one submission of each kind, one after the other, so that the responses can be told apart. */
async function submitAll(url: string): Promise<Omit<Recording, 'events'>> {
  const form = await makeForm(url);
  const marker = 'marker-of-the-json-submission';
  const json = await submitJson(form.endpoint, { note: marker });
  expect(json.status).toBe(200);
  const submitSmall = (name: string) => submitFile(form.endpoint, `marker-of-small-file-${name}`, 1_000);
  return {
    json: { marker, submissionId: json.body.submission_id, withFile: false },
    // More than one block of the writer, so that the last write is not the first.
    multipart: await submitFile(form.endpoint, 'marker-of-the-multipart-submission', 600_000),
    small: [
      await submitSmall('alone'),
      ...(await Promise.all(['p', 'q', 'r', 's', 't', 'u'].map(submitSmall))),
    ],
  };
}

const without = (events: readonly TraceEvent[], drop: (event: TraceEvent) => boolean) =>
  events.filter((event) => !drop(event));

/** The same events, but with the matching ones moved after everything else. */
const delayed = (events: readonly TraceEvent[], late: (event: TraceEvent) => boolean) => {
  const last = Math.max(...events.map(({ end }) => end));
  return events
    .map((event) => (late(event) ? { ...event, begin: event.begin + last, end: event.end + last } : event))
    .sort((a, b) => a.begin - b.begin);
};

const isLogSync = ({ call, path }: TraceEvent): boolean => call === 'sync' && path.endsWith('-wal');
const isFileSync = ({ call, path }: TraceEvent): boolean => call === 'sync' && path.includes('/.staging/');
const isFolderSync = ({ call, path }: TraceEvent): boolean =>
  call === 'sync' && /\/files\/[0-9a-f]{2}$/.test(path);
const isRename = ({ call }: TraceEvent): boolean => call === 'rename';

function orderTests(recording: () => Recording): void {
  it('syncs the log before it responds to a JSON submission', () => {
    const { events, json } = recording();
    expect(syncFaults(events, json)).toEqual([]);
  });

  it('syncs file, folder and log, in this order, before it responds to a submission with a file', () => {
    const { events, multipart } = recording();
    expect(syncFaults(events, multipart)).toEqual([]);
  });

  it('does the same for small files, which another thread writes, alone or among others', () => {
    const { events, small } = recording();
    expect(small.map((one) => syncFaults(events, one))).toEqual(small.map(() => []));
  });

  const tampered: Record<string, (events: readonly TraceEvent[]) => readonly TraceEvent[]> = {
    'without the sync of the log': (events) => without(events, isLogSync),
    'with the sync of the log after the answer': (events) => delayed(events, isLogSync),
    'without the sync of the file': (events) => without(events, isFileSync),
    'with the sync of the file after the rename': (events) => delayed(events, isFileSync),
    'without the sync of the folder': (events) => without(events, isFolderSync),
    'with the sync of the folder after the answer': (events) => delayed(events, isFolderSync),
    'without the rename': (events) => without(events, isRename),
    'with the answer first of all': (events) => {
      const isAnswer = ({ path }: TraceEvent) => path === 'socket';
      return events.map((event) => (isAnswer(event) ? { ...event, begin: -2, end: -1 } : event));
    },
  };
  for (const [name, tamper] of Object.entries(tampered)) {
    it(`would complain about the same run ${name}`, () => {
      const { events, json, multipart, small } = recording();
      expect(syncFaults(tamper(events), multipart)).not.toEqual([]);
      for (const one of small) expect(syncFaults(tamper(events), one)).not.toEqual([]);
      if (/log|answer first/.test(name)) expect(syncFaults(tamper(events), json)).not.toEqual([]);
    });
  }
}

describe('the order of syncs, seen by the hook', () => {
  let recording: Recording | undefined;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-trace-'));
    const trace = join(folder, 'trace');
    const hook = new URL('../support/sync-hook.mjs', import.meta.url).href;
    const server = await startServer({
      env: { SYNC_TRACE_FILE: trace },
      nodeArguments: ['--import', hook],
    });
    try {
      const submitted = await submitAll(server.url);
      await server.end();
      recording = { events: parseHook(readFileSync(trace, 'utf8')), ...submitted };
    } finally {
      await server.dispose();
      await rm(folder, { recursive: true, force: true });
    }
  });
  orderTests(() => recording as Recording);
});

const canTrace = (): boolean => spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

/** Returns whether strace works here. Installs it where that is possible. */
function haveStrace(): boolean {
  if (canTrace()) return true;
  if (process.getuid?.() !== 0 || spawnSync('strace', ['-V']).status === 0) return false;
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'strace'], { timeout: 120_000 });
  return canTrace();
}

const calls = 'fsync,fdatasync,rename,renameat,renameat2,write,writev,pwrite64,sendto,sendmsg';

/** Starts the server under strace, which needs no permission to attach to a running process. */
async function startTraced(dataDir: string, trace: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = [
    '-f',
    '-ttt',
    '-yy',
    '-s',
    '8192',
    '-e',
    `trace=${calls}`,
    '-e',
    'signal=none',
    '-o',
    trace,
  ];
  const child = spawn('strace', [...options, process.execPath, entry, 'serve'], {
    env: {
      ...plainEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      INLET_API_KEY: apiKey,
      LOG_LEVEL: 'warn',
      // strace sees system calls, but not operations submitted through io_uring.
      UV_USE_IO_URING: '0',
    },
    stdio: 'ignore',
    // In its own process group: strace blocks signals itself, so both are killed through the group.
    detached: true,
  });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  while (!ended) {
    if ((await fetch(`${url}/healthz`).catch(() => null))?.ok) return { url, child };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The traced server ended before it answered');
}

describe.runIf(needs('a strace that may trace', haveStrace()))('the order of syncs, seen by strace', () => {
  let recording: Recording | undefined;
  let dataDir = '';
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'inlet-strace-'));
    const trace = join(dataDir, 'trace');
    const { url, child } = await startTraced(dataDir, trace);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    try {
      const submitted = await submitAll(url);
      process.kill(-(child.pid as number), 'SIGTERM');
      await exited;
      recording = { events: parseStrace(readFileSync(trace, 'utf8')), ...submitted };
    } finally {
      if (child.exitCode === null && child.signalCode === null)
        process.kill(-(child.pid as number), 'SIGKILL');
    }
  }, 180_000);
  afterAll(() => rm(dataDir, { recursive: true, force: true }));
  orderTests(() => recording as Recording);
});

describe('the reader of traces', () => {
  const sample = readFileSync(fileURLToPath(new URL('./strace-sample.txt', import.meta.url)), 'utf8');
  const submitted: Submitted = { marker: 'the-marker', submissionId: '0199-id', withFile: true };
  const move = (text: string, what: RegExp, before: RegExp): string => {
    const rows = text.split('\n');
    const [moved = ''] = rows.splice(
      rows.findIndex((row) => what.test(row)),
      1,
    );
    rows.splice(
      rows.findIndex((row) => before.test(row)),
      0,
      moved,
    );
    return rows.join('\n');
  };

  it('understands calls that other threads interrupt', () => {
    const events = parseStrace(sample);
    expect(events.map(({ call, path }) => [call, path.split('/').at(-1)])).toEqual([
      ['write', 'key.uuid'],
      ['sync', 'key.uuid'],
      ['rename', 'key.uuid'],
      ['sync', '7f'],
      ['write', 'inlet.db-wal'],
      ['sync', 'inlet.db-wal'],
      ['write', 'socket'],
    ]);
    const sync = events[1];
    expect(sync && sync.end - sync.begin).toBe(2);
    expect(syncFaults(events, submitted)).toEqual([]);
  });

  it('does not take a failed call for done', () => {
    const failed = sample.replace(/(fdatasync.*\) = )0/, '$1-1 EIO (Input/output error)');
    expect(syncFaults(parseStrace(failed), submitted)).toEqual([
      'no sync of the log after the write to the log',
    ]);
  });

  it('does not take a call for done that returns after the answer', () => {
    const rows = sample.trimEnd().split('\n');
    const late = rows.flatMap((row) =>
      row.includes('fdatasync(') ? [row.replace(') = 0', ' <unfinished ...>')] : [row],
    );
    late.push('102 1731636000.9 <... fdatasync resumed>) = 0');
    expect(syncFaults(parseStrace(late.join('\n')), submitted)).toEqual([
      'the sync of the log ends after the answer began',
    ]);
  });

  it('complains when the answer comes before the sync of the log', () => {
    const early = move(sample, /HTTP\/1\.1 200/, /fdatasync/);
    expect(syncFaults(parseStrace(early), submitted)).toEqual([
      'the sync of the log ends after the answer began',
    ]);
  });

  it('complains when the rename comes before the sync of the file', () => {
    const early = move(sample, /rename\(/, /fsync\(21/);
    expect(syncFaults(parseStrace(early), submitted)[0]).toBe('no rename after the sync of the staged file');
  });
});
