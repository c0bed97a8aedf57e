/**
 * How a codec process is started: with as little access as this machine lets us enforce. An image that takes over a codec
 * then finds no secret, no network, no other process and no file but the program itself.
 *
 * - Its own environment, folder and descriptors: everywhere.
 * - Node's permission model, for JavaScript: everywhere.
 * - A user of its own: if the service runs as root.
 * - Landlock (files, TCP, signals) and a system call filter (sockets, processes, file names): on Linux, for x64 and arm64.
 *   Node cannot set them up. Perl can, and is part of every Debian and Ubuntu, slim images included.
 *
 * If a measure keeps the codec from starting, the next weaker way is used, and the log and the doctor report it.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodecIsolation, IsolationMeasure } from '../../ports/imaging.js';
import { launcherScript } from './launcher.js';
import { systemCallFilter } from './system-call-filter.js';

/** The ids of the user nobody and the group nogroup. */
const ownUser = 65534;

interface Way {
  /** Confined by the launcher: Landlock, the system call filter, limits. */
  readonly isConfined: boolean;
  readonly hasOwnUser: boolean;
  readonly hasPermissions: boolean;
}

export interface Launch {
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

const perl = '/usr/bin/perl';
const filter = process.platform === 'linux' ? systemCallFilter(process.arch) : null;

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

function waysOfThisMachine(): readonly Way[] {
  const isConfined = filter !== null && canRun(perl);
  const isRoot = process.getuid?.() === 0;
  const asUs = (confined: boolean): readonly Way[] => [
    { isConfined: confined, hasOwnUser: false, hasPermissions: true },
    { isConfined: confined, hasOwnUser: false, hasPermissions: false },
  ];
  return [
    ...(isRoot ? [{ isConfined, hasOwnUser: true, hasPermissions: true }] : []),
    // Also when we are root: the program may be below /root, where no other user can read it.
    ...(isConfined ? asUs(true) : []),
    ...asUs(false),
  ];
}

/** Paths of the program and its packages: all that a codec ever reads. */
function programFiles(entry: string): readonly string[] {
  const sharp = fileURLToPath(import.meta.resolve('sharp'));
  const packages = sharp.slice(0, sharp.indexOf('/node_modules/') + '/node_modules'.length);
  const program = entry.slice(0, entry.lastIndexOf('/dist/') + '/dist'.length);
  // Without it, Node takes the program for CommonJS.
  const description = join(dirname(program), 'package.json');
  // May be a symlink if packages are shared.
  const linked = join(dirname(program), 'node_modules');
  const there = [packages, linked, program, description].filter(existsSync);
  // Node checks a path as it is written, the kernel checks where it leads.
  return [...new Set([...there, ...there.map((path) => realpathSync(path))])];
}

const systemFiles = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/usr/local/lib',
  '/nix/store',
  '/etc/ld.so.cache',
  '/etc/ssl/openssl.cnf',
  '/dev/null',
  '/dev/urandom',
];

/** The flag lost its prefix in Node 22.13. */
const permissionFlag = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

function permissionFlags(files: readonly string[]): readonly string[] {
  // Never both a folder and its contents: Node 20 aborts on that.
  const read = [...files, '/dev/null'].map(
    (path) => `--allow-fs-read=${statSync(path).isDirectory() ? `${path}/*` : path}`,
  );
  // sharp is an addon. No flag restricts native code, only the kernel can.
  return [permissionFlag, '--allow-addons', ...read, '--no-warnings'];
}

/** Remembers which way works. One per service process. */
export function createIsolation(entry: string) {
  const ways = waysOfThisMachine();
  let chosen = 0;
  let isProven = false;
  const way = (): Way => ways[chosen] ?? { isConfined: false, hasOwnUser: false, hasPermissions: false };

  return {
    get chosen(): number {
      return chosen;
    },

    /** `before` is a command that runs the rest. */
    launch(before: readonly string[], nodeFlags: readonly string[]): Launch {
      const { isConfined, hasOwnUser, hasPermissions } = way();
      const files = programFiles(entry);
      const readable = [realpathSync(process.execPath), ...files, ...systemFiles.filter(existsSync)];
      const words = [
        ...before,
        ...(isConfined && filter
          ? [
              perl,
              '-e',
              launcherScript,
              process.arch,
              filter.toString('hex'),
              String(readable.length),
              ...readable,
            ]
          : []),
        process.execPath,
        ...nodeFlags,
        ...(hasPermissions ? permissionFlags(files) : []),
      ];
      const [execPath = process.execPath, ...execArgv] = words;
      return { execPath, execArgv, user: hasOwnUser ? { uid: ownUser, gid: ownUser } : null };
    },

    /** A codec has started in this way, so no later failure is a reason to drop a measure. */
    prove(): void {
      isProven = true;
    },

    /** A codec started in this way ended before it could take a job. Returns false when no weaker way is used. */
    weaken(failed: number): boolean {
      if (isProven || chosen === ways.length - 1) return false;
      if (failed === chosen) chosen += 1;
      return true;
    },

    /** `confined` is what the launcher reports it has done. */
    describe(confined: readonly string[]): CodecIsolation {
      const { hasOwnUser, hasPermissions } = way();
      const inForce: readonly (readonly [IsolationMeasure, boolean])[] = [
        ['own user', hasOwnUser],
        ['permission model', hasPermissions],
        ['system call filter', confined.includes('seccomp')],
        ['file access limits', confined.includes('landlock')],
      ];
      return { missing: inForce.filter(([, isThere]) => !isThere).map(([measure]) => measure) };
    },
  };
}
