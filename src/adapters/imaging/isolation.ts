/**
 * How a codec process is started: with as little access as this machine lets us take away from it. A picture that takes a
 * codec over then finds no secret, no network, no other process and no file but the program itself.
 *
 * - Its own environment, folder and descriptors: everywhere.
 * - Node's permission model, for what runs as JavaScript: everywhere.
 * - A user of its own: where the service runs as root.
 * - Landlock (files, TCP, signals) and a system call filter (sockets, processes, names of files): on Linux, for x64 and arm64. Node
 *   cannot ask the kernel for them; Perl can, and is part of every Debian and Ubuntu, slim images included.
 *
 * A machine on which a measure keeps the codec from starting gets the next weaker way, and the log and the doctor say so.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CodecIsolation, IsolationMeasure } from '../../ports/imaging.js';
import { launcherScript } from './launcher.js';
import { systemCallFilter } from './system-call-filter.js';

/** nobody and nogroup. */
const ownUser = 65534;

interface Way {
  /** By the launcher: Landlock, the system call filter, limits. */
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
    // As root: a program below /root, which no other user may read.
    ...(isConfined ? asUs(true) : []),
    ...asUs(false),
  ];
}

/** Where the program and its packages lie: all that a codec ever reads. */
function programFiles(entry: string): readonly string[] {
  const sharp = fileURLToPath(import.meta.resolve('sharp'));
  const packages = sharp.slice(0, sharp.indexOf('/node_modules/') + '/node_modules'.length);
  const program = entry.slice(0, entry.lastIndexOf('/dist/') + '/dist'.length);
  // Without it, Node takes the program for a script of the old kind.
  const description = join(dirname(program), 'package.json');
  // It may be a link, where packages are shared.
  const linked = join(dirname(program), 'node_modules');
  const there = [packages, linked, program, description].filter(existsSync);
  // Node asks for a path as it is written, the kernel for where it leads.
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

/** The flag has lost its prefix in Node 22.13. */
const permissionFlag = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

function permissionFlags(files: readonly string[]): readonly string[] {
  // Never a folder and what is in it: Node 20 aborts over the two.
  const read = [...files, '/dev/null'].map(
    (path) => `--allow-fs-read=${statSync(path).isDirectory() ? `${path}/*` : path}`,
  );
  // sharp is an addon. What it does itself no flag restricts; that is what the kernel is for.
  return [permissionFlag, '--allow-addons', ...read, '--no-warnings'];
}

/** Remembers which way works. One for each process of the service. */
export function createIsolation(entry: string) {
  const ways = waysOfThisMachine();
  let chosen = 0;
  let isProven = false;
  const way = (): Way => ways[chosen] ?? { isConfined: false, hasOwnUser: false, hasPermissions: false };

  return {
    get chosen(): number {
      return chosen;
    },

    /** `before` stands in front of everything: a command that runs the rest. */
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

    /** A codec could be started in this way, so nothing that happens later is a reason to give a measure up. */
    prove(): void {
      isProven = true;
    },

    /** A codec that was started in this way ended before it could take a picture. False: it remains as it is. */
    weaken(failed: number): boolean {
      if (isProven || chosen === ways.length - 1) return false;
      if (failed === chosen) chosen += 1;
      return true;
    },

    /** `confined` is what the launcher says it has done. */
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
