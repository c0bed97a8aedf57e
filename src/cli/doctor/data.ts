/** Checks of the stored data: is the data folder writable, is there space, is everything in it sound. */
import { randomUUID } from 'node:crypto';
import { access, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Foundation } from '../../compose/foundation.js';
import { probeBucket } from '../../compose/probes.js';
import type { Config } from '../../config/options.js';
import { ForeignFiles } from '../../domain/files/binding.js';
import { silentMs } from '../../domain/processes/membership.js';
import { works } from '../../model/process.js';
import { reasonsOf } from '../failure.js';
import { openForCommand } from '../foundation.js';
import { type Progress, sizeText } from '../terminal.js';
import { type Check, fail, ok, skip, warn } from './check.js';

const lowBytes = 1024 ** 3;
const emptyBytes = 256 * 1024 ** 2;

const bucketWorks = 'the bucket takes bytes';
const bucketRemedy = 'Check STORAGE_URL, the AWS variables with the keys, and what those keys may do.';

const reason = (error: unknown): string =>
  (reasonsOf(error) ?? [error instanceof Error ? error.message : String(error)]).join(' ');

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export async function dataChecks(config: Config, progress: Progress): Promise<readonly Check[]> {
  const folder = resolve(config.dataDir);
  const isThere = await exists(folder);
  const place = isThere ? folder : await nearestFolder(folder);
  const written = await writable(place, isThere ? folder : `${folder} does not exist yet`);
  const folderCheck =
    isThere || written.state === 'fail'
      ? written
      : warn('data folder', `${folder} does not exist yet`, 'It is made at the first start.');
  return [folderCheck, await freeSpace(place), ...(await storedChecks(config, folderCheck, progress))];
}

async function nearestFolder(path: string): Promise<string> {
  let folder = dirname(path);
  while (folder !== dirname(folder) && !(await exists(folder))) folder = dirname(folder);
  return folder;
}

async function writable(folder: string, message: string): Promise<Check> {
  const probe = join(folder, `.inlet-probe-${randomUUID()}`);
  try {
    await writeFile(probe, 'probe', { flag: 'wx', mode: 0o600 });
    await unlink(probe);
    return ok('data folder', `${message}, writable`);
  } catch (error) {
    // Its files can still be checked; the check of the disk space reports that it is full.
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      await unlink(probe).catch(() => {});
      return ok('data folder', message);
    }
    return fail('data folder', reason(error), 'Set DATA_DIR to a folder that this user may write.');
  }
}

async function freeSpace(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const message = `${sizeText(freeBytes)} free`;
  const next = 'Free some space, or move DATA_DIR to a larger disk.';
  if (freeBytes < emptyBytes) return fail('disk space', message, next);
  return freeBytes < lowBytes ? warn('disk space', message, next) : ok('disk space', message);
}

/** The database and the bucket of a shared instance are not in the data folder, and are checked without it. */
async function storedChecks(config: Config, folder: Check, progress: Progress): Promise<readonly Check[]> {
  if (config.databaseUrl === null && folder.state !== 'ok') {
    const why = `not checked: ${folder.state === 'fail' ? 'the data folder cannot be used' : 'there is no data folder yet'}`;
    return [skip('database', why), await filesAlone(config, folder), skip('secret', why)];
  }
  let foundation: Foundation;
  try {
    foundation = await openForCommand(config, 'existing');
  } catch (error) {
    const next =
      config.databaseUrl === null
        ? 'Fix the problem named above, or restore a backup.'
        : 'Start PostgreSQL, or correct DATABASE_URL.';
    const why = 'not checked: the database could not be opened';
    return [fail('database', reason(error), next), await filesAlone(config, folder), skip('secret', why)];
  }
  try {
    return [
      await database(foundation),
      ...reserve(foundation),
      ...(await processes(foundation)),
      await files(config, foundation),
      ...(await orphans(foundation)),
      ...(await lastBackup(config, foundation)),
      await erasing(foundation),
      await auditLog(foundation, progress),
      ...(await epoch(config, foundation)),
      ...(await secret(config, foundation)),
    ];
  } finally {
    await foundation.close();
  }
}

/** Checks the files without the database. */
async function filesAlone(config: Config, folder: Check): Promise<Check> {
  try {
    if (await probeBucket(config)) return ok('files', bucketWorks);
  } catch (error) {
    return fail('files', reason(error), bucketRemedy);
  }
  return folder.state === 'ok'
    ? ok('files', `in ${resolve(config.dataDir)}, writable`)
    : skip('files', 'not checked: they lie in the data folder');
}

async function database({ store }: Foundation): Promise<Check> {
  try {
    await store.check();
    const faults = await store.verify();
    const { engine, sizeBytes } = await store.describe();
    return faults.length === 0
      ? ok('database', `${engine}, sound, ${sizeText(sizeBytes)}`)
      : fail('database', `damaged: ${faults[0]}`, 'Stop Inlet and restore the last backup.');
  } catch (error) {
    return fail('database', reason(error), 'Fix the problem named above, or restore a backup.');
  }
}

async function erasing({ store }: Foundation): Promise<Check> {
  const name = 'erasing persons';
  try {
    const left = await store.erasures.expectedTraces();
    return left === null ? ok(name, 'leaves no bytes in the database') : warn(name, left.reason, left.remedy);
  } catch (error) {
    return fail(name, reason(error), 'Fix the problem named above, or restore a backup.');
  }
}

function reserve({ reserve: held }: Foundation): readonly Check[] {
  if (!held) return [];
  const name = 'space reserve';
  if (held.isInUse) {
    const next = 'Delete submissions, shorten retention_days, or free space on the disk of DATA_DIR.';
    return [fail(name, 'in use: the disk was full, and submissions get 507', next)];
  }
  return [ok(name, held.bytes > 0 ? `${sizeText(held.bytes)} held back` : 'none held back')];
}

/** An embedded database has at most one process, so there is nothing to list. */
async function processes({ store, clock, isShared }: Foundation): Promise<readonly Check[]> {
  if (!isShared) return [];
  const now = clock.now();
  const all = await store.processes.list();
  const live = all.filter(({ seenAt }) => now - seenAt <= silentMs);
  const listed = live.map(({ role, host, pid, version }) => `${role} ${host} ${pid} (${version})`).join(', ');
  if (live.length === 0) return [warn('processes', 'none is live', 'Start one: inlet serve')];
  const message = `${live.length} live: ${listed}`;
  return [
    live.some(({ role }) => works(role))
      ? ok('processes', message)
      : warn('processes', message, 'None of them sends: start one with --role worker or all.'),
  ];
}

async function files({ storageUrl }: Config, { blobs, dataDir }: Foundation): Promise<Check> {
  const isOnDisk = storageUrl === null;
  try {
    await blobs.check();
    return ok('files', isOnDisk ? `${dataDir.files}, writable` : bucketWorks);
  } catch (error) {
    if (error instanceof ForeignFiles)
      return fail('files', reason(error), 'Do what it says before you start.');
    const remedy = isOnDisk ? 'Free some space, or make the folder writable for this user.' : bucketRemedy;
    return fail('files', reason(error), remedy);
  }
}

const oldBackupMs = 26 * 60 * 60_000;

async function lastBackup({ databaseUrl }: Config, { store, clock }: Foundation): Promise<readonly Check[]> {
  const at = await store.lastBackupAt();
  if (at === null) return [];
  const next =
    databaseUrl === null
      ? 'Make one: inlet backup --to FOLDER.'
      : 'Make one with the tools of PostgreSQL, and run inlet backup --record after each.';
  if (at === 0) return [warn('last backup', 'none was recorded', next)];
  const message = `${new Date(at).toISOString()}`;
  return [clock.now() - at > oldBackupMs ? warn('last backup', message, next) : ok('last backup', message)];
}

async function epoch({ deliveryEpoch }: Config, { store }: Foundation): Promise<readonly Check[]> {
  const stored = await store.storedEpoch();
  if (deliveryEpoch >= stored) return [];
  const message = `DELIVERY_EPOCH is ${deliveryEpoch}, but the database has ${stored}: no process with this setting starts`;
  return [fail('delivery epoch', message, `Set DELIVERY_EPOCH=${stored} for every process.`)];
}

/** Checks every entry of every account, from the first to the last. */
async function auditLog({ store }: Foundation, progress: Progress): Promise<Check> {
  const name = 'audit log';
  try {
    const reports = await store.audit.verify((checked) =>
      progress.tell(`Checking the audit log: ${checked.toLocaleString('en')} entries`),
    );
    const broken = reports.find(({ fault }) => fault !== null);
    if (broken?.fault) {
      const { seq, reason: what } = broken.fault;
      const next =
        'Somebody has changed the database: compare it with a backup, or with an export of the log.';
      return fail(name, `entry ${seq} of account ${broken.accountId}: ${what}`, next);
    }
    const entries = reports.reduce((sum, report) => sum + report.entries, 0);
    // Stored elsewhere, the hash reveals that the database was replaced by an older copy.
    const [only] = reports.length === 1 ? reports : [];
    return ok(name, `${entries} entries, unbroken${only ? `, ends with ${only.hash}` : ''}`);
  } catch (error) {
    return fail(name, reason(error), 'Fix the problem named above, or restore a backup.');
  } finally {
    progress.clear();
  }
}

/** From the service's last sweep. */
async function orphans({ store }: Foundation): Promise<readonly Check[]> {
  const sweep = await store.files.lastSweep();
  if (!sweep?.isRefused) return [];
  const older = sweep.older > 0 ? `, ${sweep.older} of them older than the database` : '';
  return [
    warn(
      'orphans',
      `${sweep.orphans} of ${sweep.listed} files have no row${older}; too many to be swept, so none was`,
      'Make sure that this is the right database, then look at them: inlet verify',
    ),
  ];
}

async function secret(config: Config, foundation: Foundation): Promise<readonly Check[]> {
  // Opening the data has already checked that the secret opens what is stored.
  const checks = [ok('secret', 'opens the sealed data')];
  if (config.secret !== null) return [...checks, ok('secret file', 'not needed: INLET_SECRET is set')];
  const path = foundation.dataDir.secret;
  const { mode } = await stat(path);
  const isPrivate = (mode & 0o077) === 0;
  return [
    ...checks,
    isPrivate
      ? ok('secret file', `${path}, for its owner only`)
      : warn('secret file', `${path} can be read by other users of this machine`, `chmod 600 ${path}`),
  ];
}
