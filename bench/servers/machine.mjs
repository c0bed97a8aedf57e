/** The machine and the software of a run, without which a figure means nothing. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { arch, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { round } from '../numbers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The measured revision, with `-dirty` when the sources have uncommitted changes. */
export function revision() {
  const found = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : 'unknown';
}

const fileSystems = {
  61267: 'ext4',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  2035054128: 'overlay',
  801189825: 'zfs',
  // A sync costs nothing there, so figures of durable writes mean nothing, and the report says so.
  16914836: 'tmpfs',
};

const firstLine = (command, words) => {
  const found = spawnSync(command, words, { encoding: 'utf8' });
  return found.error ? null : `${found.stdout}${found.stderr}`.split('\n')[0].trim();
};

const packageVersion = (name) =>
  JSON.parse(readFileSync(`${root}node_modules/${name}/package.json`, 'utf8')).version;

function sqliteVersion() {
  const db = new DatabaseSync(':memory:');
  try {
    return db.prepare('SELECT sqlite_version() AS version').get().version;
  } finally {
    db.close();
  }
}

export function describeMachine() {
  const system = /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? type();
  const { type: fileSystem } = statfsSync(tmpdir());
  return {
    cpus: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'} (${arch()})`,
    memoryGiB: round(totalmem() / 2 ** 30, 1),
    system: `${system}, Linux ${release()}`,
    fileSystem: fileSystems[fileSystem] ?? `0x${fileSystem.toString(16)}`,
    versions: {
      'Node.js': process.version.slice(1),
      SQLite: sqliteVersion(),
      fastify: packageVersion('fastify'),
      undici: packageVersion('undici'),
      sharp: packageVersion('sharp'),
      ...(firstLine('wrk', ['-v'])
        ? { wrk: /(\d+\.\d+\.\d+)/.exec(firstLine('wrk', ['-v']))?.[1] ?? 'unknown' }
        : { autocannon: packageVersion('autocannon') }),
    },
  };
}
