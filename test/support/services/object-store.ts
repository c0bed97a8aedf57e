/**
 * A real S3 server: Ceph's gateway with one monitor and one store in memory, on loopback
 * and free ports. Unlike small fakes, it verifies signatures and checksums.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../server.js';

/** The address and credentials of a server, which one test process can pass to another. */
export interface ObjectStoreAddress {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ObjectStore extends ObjectStoreAddress {
  readonly port: number;
  /** The name of a new, empty bucket. */
  newBucket(): Promise<string>;
  /** Stops the gateway, so that nothing responds anymore. Stored objects stay. */
  stop(): Promise<void>;
  /** Starts the gateway again on the same port. */
  start(): Promise<void>;
  /** Stops everything and removes its data. */
  dispose(): Promise<void>;
}

const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin'];
const packages = 'radosgw ceph-mon ceph-osd ceph-common';
const attempts = 3;
const startMs = 30_000;
const endMs = 3_000;

const run = promisify(execFile);
const onPath = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));

/** The programs that are not installed. */
const missingObjectStorePrograms = (): string[] => programs.filter((name) => !onPath(name));

export async function startObjectStore(): Promise<ObjectStore> {
  const missing = missingObjectStorePrograms();
  if (missing.length > 0) {
    throw new Error(
      `The S3 server of the tests lacks ${missing.join(', ')}: ` +
        `sudo apt-get install --no-install-recommends ${packages}`,
    );
  }
  // A port that was free when it was checked may be taken a moment later.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce();
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}

async function startOnce(): Promise<ObjectStore> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-s3-'));
  const children: Daemon[] = [];
  const killAll = (): void => {
    for (const child of children) child.kill();
  };
  // A test run that dies must not leave servers behind.
  process.once('exit', killAll);
  const dispose = async (): Promise<void> => {
    // All at once and by force: nothing here outlives the test, and the gateway would wait for a store that is no longer there.
    killAll();
    await Promise.all(children.map((child) => child.exited));
    process.off('exit', killAll);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await freePort();
    const keys = { accessKeyId: `key${randomBytes(8).toString('hex')}`, secretAccessKey: randomUUID() };
    const config = await prepare(folder, port);
    const daemon = (name: string, ...more: string[]): Daemon => {
      const started = startDaemon(name, ['-f', '-c', config, ...more]);
      children.push(started);
      return started;
    };
    await startStore(folder, config, daemon);

    const endpoint = `http://127.0.0.1:${port}`;
    let gateway = daemon('radosgw', '-n', 'client.rgw');
    await answering(endpoint, gateway);
    await run('radosgw-admin', [
      ...['-c', config, '-n', 'client.rgw', 'user', 'create', '--uid=inlet', '--display-name=inlet'],
      ...[`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`],
    ]);
    return {
      endpoint,
      port,
      ...keys,
      newBucket: () => newBucket({ endpoint, ...keys }),
      stop: () => gateway.end(),
      async start() {
        gateway = daemon('radosgw', '-n', 'client.rgw');
        await answering(endpoint, gateway);
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface Daemon {
  readonly exited: Promise<void>;
  isRunning(): boolean;
  /** The end of its output. */
  log(): string;
  kill(): void;
  /** Asks it to stop, and kills it after a while. */
  end(): Promise<void>;
}

function startDaemon(name: string, args: readonly string[]): Daemon {
  // So that it dies with us even if we are killed and cannot stop it ourselves.
  const wrapped = onPath('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', name] : [name];
  const [program = name, ...before] = wrapped;
  const child: ChildProcess = spawn(program, [...before, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  let isRunning = true;
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-20_000);
  });
  const exited = new Promise<void>((resolve) => {
    const over = (): void => {
      isRunning = false;
      resolve();
    };
    child.once('exit', over);
    child.once('error', over);
  });
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): void => {
    if (isRunning) child.kill(signal);
  };
  return {
    exited,
    isRunning: () => isRunning,
    log: () => log,
    kill: () => kill(),
    async end() {
      kill('SIGTERM');
      const timer = setTimeout(kill, endMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function answering(endpoint: string, gateway: Daemon): Promise<void> {
  const until = performance.now() + startMs;
  while (gateway.isRunning() && performance.now() < until) {
    const answer = await fetch(endpoint, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Ceph's S3 gateway did not start:\n${gateway.log()}`);
}

/** The configuration, the keys and the monitor's map. */
async function prepare(folder: string, port: number): Promise<string> {
  const at = (name: string): string => join(folder, name);
  for (const name of ['mon', 'osd', 'log', 'run']) await mkdir(at(name));
  const [config, keyring, cluster] = [at('ceph.conf'), at('keyring'), randomUUID()];
  const monitor = `[v2:127.0.0.1:${await freePort()},v1:127.0.0.1:${await freePort()}]`;
  // Below the ports that systems assign. The store takes free ones from this range.
  const firstPort = randomInt(10_000, 32_000);
  await writeFile(
    config,
    `[global]
fsid = ${cluster}
mon host = ${monitor}
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
ms bind port min = ${firstPort}
ms bind port max = ${firstPort + 100}
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false
keyring = ${keyring}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = ${at('run')}
admin socket = ${at('run')}/$name.$pid.asok
pid file = ${at('run')}/$name.pid
log file = ${at('log')}/$name.log
crash dir = ${at('log')}
[mon]
mon data = ${at('mon')}
mon initial members = a
# Else the start takes 12 s.
paxos propose interval = 0.05
paxos min wait = 0.01
[mon.a]
public addrv = ${monitor}
[osd]
osd data = ${at('osd')}
osd objectstore = memstore
memstore device bytes = 2147483648
[client.rgw]
# Without tcp_nodelay each GET takes 44 ms.
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw thread pool size = 32
rgw run sync thread = false
`,
  );
  const addKey = (name: string, mon: string, osd: string): Promise<unknown> =>
    run('ceph-authtool', [keyring, '-n', name, '--gen-key', '--cap', 'mon', mon, '--cap', 'osd', osd]);
  await run('ceph-authtool', ['-C', keyring, '-n', 'mon.', '--gen-key', '--cap', 'mon', 'allow *']);
  await addKey('client.admin', 'allow *', 'allow *');
  await addKey('osd.0', 'allow profile osd', 'allow *');
  await addKey('client.rgw', 'allow rw', 'allow rwx');
  await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', monitor, at('monmap')]);
  await run('ceph-mon', [
    ...['-c', config, '-i', 'a', '--mkfs', '--monmap', at('monmap'), '--keyring', keyring],
  ]);
  return config;
}

async function startStore(
  folder: string,
  config: string,
  daemon: (name: string, ...more: string[]) => Daemon,
): Promise<void> {
  const monitor = daemon('ceph-mon', '-i', 'a');
  // The store must be created with the same id that the monitor got, or it stays down.
  const id = randomUUID();
  try {
    await run('ceph', ['-c', config, '--connect-timeout', '20', 'osd', 'new', id], { timeout: startMs });
  } catch (error) {
    throw new Error(`Ceph's monitor did not start:\n${monitor.log()}`, { cause: error });
  }
  await run('ceph-osd', ['-c', config, '-i', '0', '--mkfs', '--osd-uuid', id], { cwd: folder });
  daemon('ceph-osd', '-i', '0');
}

/** The name of a new, empty bucket. */
async function newBucket({ endpoint, ...credentials }: ObjectStoreAddress): Promise<string> {
  // Without this the client prints that its versions of 2027 need a newer Node, in the middle of the tests' output.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  const name = `inlet-${randomBytes(6).toString('hex')}`;
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
    return name;
  } finally {
    client.destroy();
  }
}

/** The settings that make Inlet store its files in this bucket. `more` starts with `&`. */
export const bucketSettings = (
  server: ObjectStoreAddress,
  bucket: string,
  more = '',
): Record<string, string> => ({
  STORAGE_URL: `s3://${bucket}?endpoint=${server.endpoint}&region=us-east-1${more}`,
  AWS_ACCESS_KEY_ID: server.accessKeyId,
  AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
});
