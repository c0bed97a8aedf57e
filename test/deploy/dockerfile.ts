/**
 * Builds and runs the Dockerfile without Docker: each stage is a folder that stands for its root, and each instruction runs in it. What
 * cannot be done here (another base system) is not simulated.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  /** The image it starts from. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

const home = fileURLToPath(new URL('../../', import.meta.url));

/** Instructions with their continuation lines joined. */
export function parseDockerfile(text: string): readonly Stage[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  const joined = lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  for (const line of joined.filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not an instruction: ${line}`);
    if (name === 'FROM') {
      const [base = '', , stage = 'final'] = rest.split(' ');
      stages.push({ name: stage, base, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** The build context: what .dockerignore lets through. It must be an allowlist. */
async function allowedFiles(): Promise<(path: string) => boolean> {
  const lines = (await readFile(join(home, '.dockerignore'), 'utf8')).split('\n');
  const [first, ...patterns] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*') throw new Error('.dockerignore does not begin with *');
  const allowed = new Set(patterns.filter((line) => line.startsWith('!')).map((line) => line.slice(1)));
  const denied = patterns
    .filter((line) => !line.startsWith('!'))
    .map((line) => line.replace(/^\*\*\/\*/, ''));
  if (denied.some((ending) => ending.includes('*')))
    throw new Error('.dockerignore denies more than endings');
  return (path) => {
    const [top = ''] = path.split('/');
    return allowed.has(top) && !denied.some((ending) => path.endsWith(ending));
  };
}

export interface Image {
  /** The folder that stands for / in the last stage. */
  readonly root: string;
  /** A path of the image on this machine. */
  at(path: string): string;
  readonly env: Readonly<Record<string, string>>;
  /** The words of ENTRYPOINT, CMD, HEALTHCHECK. */
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly stopSignal: NodeJS.Signals;
  readonly user: { readonly uid: number; readonly gid: number };
  remove(): Promise<void>;
}

/** For root another user, as in the image. Otherwise the current user, since no other is available. */
const outsider = (): { uid: number; gid: number } =>
  process.getuid?.() === 0
    ? { uid: 65_534, gid: 65_534 }
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

const listOf = (text: string): string[] => JSON.parse(text.slice(text.indexOf('[')));

/**
 * The steps that are not run, because together they take minutes. The first has just been done for the folder that the tests run in. The
 * second installs what the lock file does not mark as a development dependency.
 */
export const installStep = 'npm ci --ignore-scripts';
export const productionStep = 'npm ci --omit=dev --ignore-scripts';

/** What the steps need from a base image with Debian 12 and Node. */
const systemFiles = [
  '/usr/bin/env',
  '/usr/bin/perl',
  ...['libcrypt.so.1', 'perl-base/strict.pm'].map((file) => `/usr/lib/${triplet()}/${file}`),
];
function triplet(): string {
  return `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
}
/** Elsewhere the steps cannot be run. */
export const isDebian = process.platform === 'linux' && systemFiles.every((file) => existsSync(file));

async function layOutBase(root: string): Promise<void> {
  const files = systemFiles.map((file): [string, string] => [file, file]);
  for (const [file, at] of [...files, [process.execPath, '/usr/local/bin/node'] as const]) {
    await mkdir(dirname(join(root, at)), { recursive: true });
    await symlink(file, join(root, at));
  }
}

/** Hard-links where possible, which takes a tenth of the time. Nothing writes to the files. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const ways = ['-al', '-a'].map((flags) => () => spawnSync('cp', [flags, '-T', from, to]).status === 0);
  if (!ways.some((way) => way())) throw new Error(`${from} could not be copied`);
}

async function installWhatRuns(modules: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(home, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const kept = Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev)
    .map(([path]) => path.slice('node_modules/'.length));
  const installed = await realpath(join(home, 'node_modules'));
  for (const name of kept.filter((one) => existsSync(join(installed, one)))) {
    await copyTree(join(installed, name), join(modules, name));
  }
}

export async function buildImage(stages: readonly Stage[]): Promise<Image> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-image-'));
  try {
    return await buildIn(folder, stages);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function buildIn(folder: string, stages: readonly Stage[]): Promise<Image> {
  // Users other than its owner run what is in it.
  await chmod(folder, 0o755);
  const user = outsider();
  const isAllowed = await allowedFiles();
  let env: Record<string, string> = {};
  const last = { entrypoint: '', command: '', healthcheck: '', stopSignal: '', user: '' };

  for (const stage of stages) {
    const root = join(folder, stage.name);
    env = {};
    let workdir = '/';
    await mkdir(root);
    if (stage.base.startsWith('node:')) await layOutBase(root);
    const here = (path: string): string => join(root, path.startsWith('/') ? path : join(workdir, path));
    const run = async (text: string): Promise<void> => {
      const modules = here('node_modules');
      if (text === installStep) return symlink(await realpath(join(home, 'node_modules')), modules);
      if (text === productionStep) return installWhatRuns(modules);
      const inside = text.replaceAll(/(?<=[\s])\/pack\b/g, `${root}/pack`);
      const ran = spawnSync('sh', ['-ec', inside], {
        cwd: here('.'),
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      });
      if (ran.status !== 0) throw new Error(`RUN ${text}\n${ran.stdout}${ran.stderr}`);
    };
    const copy = async (text: string): Promise<void> => {
      const words = text.split(' ');
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
      const isForUser = words.some((word) => word.startsWith('--chown='));
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
      const target = here(words.at(-1) ?? '');
      for (const source of sources) {
        if (from !== undefined) {
          await copyTree(join(folder, from, source), target);
          if (isForUser)
            for (const name of await readdir(join(folder, from, source)))
              await chown(join(target, name), user.uid, user.gid);
          continue;
        }
        const names = source === '.' ? await readdir(home) : [source];
        for (const name of names.filter(isAllowed)) {
          await cp(join(home, name), join(target, name), {
            recursive: true,
            filter: (path) => isAllowed(path.slice(home.length)),
          });
        }
      }
    };
    for (const { name, text } of stage.instructions) {
      if (name === 'WORKDIR') {
        workdir = text;
        await mkdir(here('.'), { recursive: true });
      } else if (name === 'RUN') await run(text);
      else if (name === 'COPY') await copy(text);
      else if (name === 'ENV') {
        for (const pair of text.split(/ +/))
          env[pair.split('=')[0] ?? ''] = pair.slice(pair.indexOf('=') + 1);
      } else if (name === 'ENTRYPOINT') last.entrypoint = text;
      else if (name === 'CMD') last.command = text;
      else if (name === 'HEALTHCHECK') last.healthcheck = text;
      else if (name === 'STOPSIGNAL') last.stopSignal = text;
      else if (name === 'USER') last.user = text;
      else if (!['LABEL', 'VOLUME', 'EXPOSE'].includes(name)) throw new Error(`${name} is not understood`);
    }
  }
  const root = join(folder, stages.at(-1)?.name ?? '');
  return {
    root,
    at: (path) => join(root, path),
    env,
    entrypoint: listOf(last.entrypoint),
    command: listOf(last.command),
    healthcheck: listOf(last.healthcheck),
    stopSignal: last.stopSignal as NodeJS.Signals,
    user,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
