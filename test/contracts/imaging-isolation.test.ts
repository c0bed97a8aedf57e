/** What a codec that an image has taken over could do: next to nothing. Checked from outside, and tried from inside. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIsolation } from '#inlet/adapters/imaging/isolation.js';
import { launcherScript } from '#inlet/adapters/imaging/launcher.js';
import { systemCallFilter } from '#inlet/adapters/imaging/system-call-filter.js';
import { makeForm } from '../support/client.js';
import { needs } from '../support/needs.js';
import { solid } from '../support/pixels.js';
import { childrenOf, environmentOf, until } from '../support/processes.js';
import { apiKey, freePort, type RunningServer, startServer } from '../support/server.js';
import { submitFiles } from '../support/upload.js';

/** Perl asks the kernel directly, not our code. */
const hasPerl = needs(
  'Perl on x64 or arm64',
  existsSync('/usr/bin/perl') && ['x64', 'arm64'].includes(process.arch),
);
// Depends on the kernel and cannot be installed, so these tests may be skipped in CI as well.
const hasLandlock =
  hasPerl && spawnSync('/usr/bin/perl', ['-e', 'exit(syscall(444, 0, 0, 1) > 0 ? 0 : 1)']).status === 0;
if (!hasLandlock) process.stdout.write('Not tested here, it needs a kernel with Landlock.\n');
const isRoot = needs('root', process.getuid?.() === 0);

const secret = 'a-secret-that-no-codec-may-see-0123456789';
let server: RunningServer;
let codec: number;
beforeAll(async () => {
  server = await startServer({ env: { INLET_SECRET: secret, AWS_SECRET_ACCESS_KEY: secret } });
  const form = await makeForm(server.url);
  const content = await solid(50, 50).png().toBuffer();
  const sent = await submitFiles(form.endpoint, [
    { field: 'photo', filename: 'p.png', type: 'image/png', content },
  ]);
  const answer = await fetch(`${server.url}/api/v1/files/${sent.body.files[0].id}/download?w=10`, {
    headers: { authorization: `Bearer ${apiKey}` },
    redirect: 'manual',
  });
  expect(answer.status).toBe(302);
  [codec = 0] = await until('there is a codec', () => {
    const found = childrenOf(server.process.pid ?? 0);
    return found.length > 0 && found;
  });
});
afterAll(() => server.dispose());

describe('a codec of a running service', () => {
  const status = (name: string): string =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(readFileSync(`/proc/${codec}/status`, 'utf8'))?.[1] ?? '';

  it('has none of our settings, and no folder of ours', () => {
    expect(environmentOf(codec).map((line) => line.split('=')[0])).toEqual(
      expect.not.arrayContaining(['INLET_SECRET', 'AWS_SECRET_ACCESS_KEY', 'DATA_DIR', 'HOME', 'PATH']),
    );
    expect(environmentOf(codec).join()).not.toContain(secret);
    expect(readlinkSync(`/proc/${codec}/cwd`)).toBe('/');
  });

  it('has nothing open but its pipes, the picture and what Node opens for itself', () => {
    const open = readdirSync(`/proc/${codec}/fd`).map((fd) => readlinkSync(`/proc/${codec}/fd/${fd}`));
    expect(open.filter((path) => path.startsWith('socket:'))).toHaveLength(2);
    expect(open.filter((path) => /^\/(?!dev\/null)/.test(path))).toEqual([
      expect.stringMatching(/inlet-source-.* \(deleted\)$/),
    ]);
  });

  it('is restricted by Node', () => {
    const words = readFileSync(`/proc/${codec}/cmdline`, 'utf8').split('\0');
    expect(words.some((word) => /^--(experimental-)?permission$/.test(word))).toBe(true);
    expect(words.filter((word) => word.startsWith('--allow-fs-write'))).toEqual([]);
    expect(words.filter((word) => word.startsWith(`--allow-fs-read=${server.dataDir}`))).toEqual([]);
    expect(words).not.toContain('--allow-child-process');
  });

  it.runIf(hasPerl)('can gain no privileges and has a system call filter', () => {
    expect(status('NoNewPrivs')).toBe('1');
    expect(status('Seccomp')).toBe('2');
  });

  it.runIf(isRoot)('is not root, and has no capability', () => {
    expect(status('Uid')).toMatch(/^65534\s/);
    expect(status('Groups').trim()).toBe('');
    expect(BigInt(`0x${status('CapEff')}`)).toBe(0n);
  });
});

describe('tried from inside', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlet-isolation-'));
    await writeFile(join(folder, 'open-to-all'), 'x', { mode: 0o666 });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const entry = fileURLToPath(new URL('../../dist/adapters/imaging/codec-process.js', import.meta.url));

  /** Runs the text the way a codec is run, without the flags that only restrict scripts: an image takes over what is below them. */
  const outcomes = (attempts: Readonly<Record<string, string>>): Record<string, string> => {
    const { execPath, execArgv, user } = createIsolation(entry).launch([], []);
    const flags = execArgv.filter((word) => !/^--(experimental-)?(permission|allow-)/.test(word));
    const text = `
      import fs from 'node:fs'; import net from 'node:net'; import dgram from 'node:dgram'; import { spawnSync } from 'node:child_process';
      const attempts = { ${Object.entries(attempts).map(([name, code]) => `${JSON.stringify(name)}: async () => { ${code} }`)} };
      const told = {};
      for (const [name, attempt] of Object.entries(attempts)) {
        told[name] = await attempt().then(() => 'done', ({ code, message }) => code ?? message);
      }
      process.stdout.write(JSON.stringify(told));
      process.exit(0);`;
    const ran = spawnSync(execPath, [...flags, '--input-type=module', '-e', text], {
      ...user,
      cwd: '/',
      env: {},
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe('');
    return JSON.parse(ran.stdout) as Record<string, string>;
  };

  it.runIf(hasPerl)('nobody is reached, nothing is started, nobody is signalled', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number };
    const told = outcomes({
      tcp: `await new Promise((done, fail) => net.connect(${port}, '127.0.0.1', done).on('error', fail))`,
      listen: `await new Promise((done, fail) => net.createServer().listen(${await freePort()}, done).on('error', fail))`,
      udp: `await new Promise((done, fail) => dgram.createSocket('udp4').on('error', fail).send('x', ${port}, '127.0.0.1', done))`,
      unix: `await new Promise((done, fail) => net.connect('/run/docker.sock', done).on('error', fail))`,
      program: `const { error } = spawnSync('/bin/true'); if (error) throw error`,
      signal: `process.kill(${process.pid}, 0)`,
    });
    listener.close();
    expect(told).toEqual({
      tcp: 'EPERM',
      listen: 'EPERM',
      udp: 'EPERM',
      unix: 'EPERM',
      program: 'EPERM',
      signal: 'EPERM',
    });
  });

  /** Runs Perl the way the launcher runs a codec, as the service's user: Node cannot make system calls. */
  const confinedPerl = (text: string) =>
    spawnSync(
      '/usr/bin/perl',
      [
        ...['-e', launcherScript, process.arch, systemCallFilter(process.arch)?.toString('hex') ?? ''],
        ...['4', '/usr', '/lib', '/lib64', '/dev/null', '/usr/bin/perl', '-e', text],
      ],
      { cwd: '/', env: {}, encoding: 'utf8' },
    );

  /** The error number of each call, 0 for none. Calls are numbered for x64 and arm64. */
  const errorsOf = (
    calls: Readonly<Record<string, readonly [x64: number, arm64: number, values: string]>>,
  ) => {
    const tries = Object.entries(calls).map(([name, [x64, arm64, values]]) => {
      const number = process.arch === 'x64' ? x64 : arm64;
      return `{ my @values = (${values}); $! = 0; my $got = syscall(${number}, @values); print "${name} ", $got == -1 ? $! + 0 : 0, "\n"; }`;
    });
    const ran = confinedPerl(`$| = 1; ${tries.join('\n')}`);
    expect(ran.stderr).toBe('');
    return Object.fromEntries(
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')),
    );
  };

  it.runIf(hasPerl)('no other process is signalled, read, limited or slowed down', () => {
    // No process of any user has this id: for calls that pass the filter, the kernel returns ESRCH.
    const other = '0x7ffffff0';
    const info = `pack('l32', 0, 0, -1)`;
    const told = errorsOf({
      kill: [62, 129, `${other}, 0`],
      tkill: [200, 130, `${other}, 0`],
      tgkill: [234, 131, `${other}, ${other}, 0`],
      rt_sigqueueinfo: [129, 138, `${other}, 0, ${info}`],
      rt_tgsigqueueinfo: [297, 240, `${other}, ${other}, 0, ${info}`],
      pidfd_open: [434, 434, `${other}, 0`],
      pidfd_send_signal: [424, 424, '0, 0, 0, 0'],
      'fcntl-F_SETOWN': [72, 25, '0, 8, getppid()'],
      'fcntl-F_SETOWN_EX': [72, 25, `0, 15, pack('ll', 1, getppid())`],
      'ioctl-FIOSETOWN': [16, 29, `0, 0x8901, pack('l', getppid())`],
      'ioctl-SIOCSPGRP': [16, 29, `0, 0x8902, pack('l', getppid())`],
      ptrace: [101, 117, `16, ${other}, 0, 0`],
      process_vm_readv: [310, 270, `${other}, 0, 0, 0, 0, 0`],
      process_vm_writev: [311, 271, `${other}, 0, 0, 0, 0, 0`],
      kcmp: [312, 272, `${other}, ${other}, 0, 0, 0`],
      migrate_pages: [256, 238, `${other}, 0, 0, 0`],
      move_pages: [279, 239, `${other}, 0, 0, 0, 0, 0`],
      process_madvise: [440, 440, '0, 0, 0, 0, 0'],
      process_mrelease: [448, 448, '0, 0'],
      prlimit64: [302, 261, `${other}, 4, 0, pack('QQ', 0, 0)`],
      setpriority: [141, 140, `0, ${other}, 19`],
      'setpriority-of-the-group': [141, 140, '1, 0, 0'],
      'setpriority-of-the-user': [141, 140, `2, ${other}, 0`],
      ioprio_set: [251, 30, `1, ${other}, 0`],
      sched_setparam: [142, 118, `${other}, pack('l', 0)`],
      sched_setscheduler: [144, 119, `${other}, 0, pack('l', 0)`],
      sched_setaffinity: [203, 122, `${other}, 128, "\\xff" x 128`],
      sched_setattr: [314, 274, `${other}, pack('LLQlLQQQ', 48, (0) x 7), 0`],
    });
    const eperm = '1';
    expect(told).toEqual(Object.fromEntries(Object.keys(told).map((name) => [name, eperm])));
    expect(Object.keys(told)).toHaveLength(28);
  });

  it.runIf(hasPerl)('its own limits and priority may be changed, and it can abort', () => {
    const told = errorsOf({
      prlimit64: [302, 261, `0, 4, 0, pack('QQ', 0, 0)`],
      setpriority: [141, 140, '0, 0, 19'],
      sched_setaffinity: [203, 122, `0, 128, "\\xff" x 128`],
      sched_setscheduler: [144, 119, `0, 0, pack('l', 0)`],
      'fcntl-F_GETFD': [72, 25, '0, 1, 0'],
    });
    expect(new Set(Object.values(told))).toEqual(new Set(['0']));
    const { execPath, execArgv, user } = createIsolation(entry).launch([], []);
    const ran = spawnSync(execPath, [...execArgv, '-e', 'process.abort()'], { ...user, cwd: '/', env: {} });
    expect(ran.signal).not.toBeNull();
  });

  it.runIf(hasPerl && isRoot)('as root, it may read what it can see and has no other capability', () => {
    const { stdout } = confinedPerl(`open(my $file, '<', "/proc/$$/status") or die; print <$file>`);
    const capabilities = (name: string): bigint =>
      BigInt(`0x${new RegExp(`^${name}:\\s*(\\w+)$`, 'm').exec(stdout)?.[1]}`);
    // CAP_DAC_READ_SEARCH
    for (const name of ['CapEff', 'CapPrm']) expect(capabilities(name) & ~4n, name).toBe(0n);
    for (const name of ['CapInh', 'CapAmb']) expect(capabilities(name), name).toBe(0n);
  });

  it.runIf(hasLandlock)('no file but the program is read, and none is written', () => {
    const told = outcomes({
      database: `fs.readFileSync(${JSON.stringify(join(server.dataDir, 'inlet.db'))})`,
      'what everybody may read': `fs.readFileSync('/etc/passwd')`,
      'what everybody may write': `fs.writeFileSync(${JSON.stringify(join(folder, 'open-to-all'))}, 'y')`,
      'a new file': `fs.writeFileSync('/tmp/inlet-isolation-new', 'y')`,
      'the settings of the service': `fs.readFileSync('/proc/${server.process.pid}/environ')`,
      program: `fs.readFileSync(${JSON.stringify(fileURLToPath(import.meta.resolve('sharp')))})`,
    });
    const { program, ...others } = told;
    expect(program).toBe('done');
    expect(new Set(Object.values(others))).toEqual(new Set(['EACCES']));
    expect(readFileSync(join(folder, 'open-to-all'), 'utf8')).toBe('x');
  });

  it('scripts read nothing else either, wherever the service runs', () => {
    const { execPath, execArgv, user } = createIsolation(entry).launch([], []);
    const text = `try { require('node:fs').readFileSync('/etc/hostname') } catch ({ code }) { process.stdout.write(code) }`;
    const ran = spawnSync(execPath, [...execArgv, '-e', text], {
      ...user,
      cwd: '/',
      env: {},
      encoding: 'utf8',
    });
    expect(ran.stdout).toBe('ERR_ACCESS_DENIED');
  });
});

it.runIf(isRoot && hasLandlock)(
  'a program that no other user may read gets all but a user of its own, and loses no picture',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-closed-'));
    const root = new URL('../../', import.meta.url);
    try {
      for (const part of ['adapters/imaging', 'kernel', 'model', 'ports']) {
        await cp(new URL(`dist/${part}`, root), join(folder, 'dist', part), { recursive: true });
      }
      await cp(new URL('package.json', root), join(folder, 'package.json'));
      await symlink(fileURLToPath(new URL('node_modules', root)), join(folder, 'node_modules'));
      await writeFile(join(folder, 'photo'), await solid(50, 50).png().toBuffer());
      const text = `
      const { createSharpImaging, imagingDefaults } = await import(${JSON.stringify(join(folder, 'dist/adapters/imaging/sharp.js'))});
      const told = [];
      const imaging = createSharpImaging({ ...imagingDefaults, timeoutMs: 60_000, onCrash() {}, onIsolation: (how) => told.push(how) });
      const recipe = { width: 5, height: null, fit: 'cover', quality: null, format: 'png' };
      const { kind } = await imaging.transform({ path: ${JSON.stringify(join(folder, 'photo'))}, sourceType: 'image/png', recipe });
      await imaging.close();
      process.stdout.write(JSON.stringify({ kind, told }));`;
      const ran = spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' });
      expect(JSON.parse(ran.stdout)).toEqual({ kind: 'made', told: [{ missing: ['own user'] }] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
