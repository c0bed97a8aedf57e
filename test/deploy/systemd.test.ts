/** The systemd units: checked by systemd itself where it is installed, and compared with the program that they start. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '#inlet/cli/commands.js';
import { findCommand, parseInvocation } from '#inlet/cli/parse.js';
import { settings } from '#inlet/config/options.js';
import { inlet } from '../support/cli.js';
import { envLines } from './env-file.js';

const root = new URL('../../', import.meta.url);
const text = (name: string): Promise<string> => readFile(new URL(`deploy/${name}`, root), 'utf8');
const known = new Set(settings.map(([, option]) => option.env));

interface Unit {
  readonly text: string;
  /** All values of a directive, by section and name. */
  all(section: string, name: string): readonly string[];
}

function parseUnit(content: string): Unit {
  const found = new Map<string, string[]>();
  let section = '';
  for (const line of content.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (title !== undefined) {
      section = title;
      continue;
    }
    const [, name = '', value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not a directive: ${line}`);
    found.set(`${section}.${name}`, [...(found.get(`${section}.${name}`) ?? []), value]);
  }
  return { text: content, all: (part, name) => found.get(`${part}.${name}`) ?? [] };
}

const template = await text('inlet@.service');
const cases = [
  { name: 'inlet.service', unit: parseUnit(await text('inlet.service')) },
  // The template stands for one unit per role.
  ...['api', 'worker'].map((role) => ({
    name: `inlet@${role}.service`,
    unit: parseUnit(template.replaceAll('%i', role).replace(/\$\{ROLE\}/, role)),
  })),
];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-units-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(cases)('$name', ({ name, unit }) => {
  const one = (directive: string): string => unit.all('Service', directive).join(' ');

  it('is understood by systemd, to the last line', async () => {
    const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
    if (!hasSystemd) {
      // The syntax was checked above. Only systemd can check every name.
      expect(unit.all('Service', 'ExecStart')).toHaveLength(1);
      return;
    }
    const path = join(folder, name);
    await writeFile(path, unit.text.replaceAll('/usr/bin/node', process.execPath));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    });
    // What it reports about other units of this machine does not matter here.
    expect((stdout + stderr).split('\n').filter((line) => line.includes('inlet'))).toEqual([]);
  });

  it('starts what there is, with options that there are', () => {
    const [node, program, ...words] = one('ExecStart').split(' ');
    expect([node, program]).toEqual(['/usr/bin/node', '/opt/inlet/dist/bundle/main.js']);
    const found = findCommand(commands, words);
    expect(parseInvocation(found.command, found.rest).command.words).toEqual(['serve']);
  });

  it('sets only settings that there are, and keeps the data where it may write', () => {
    const environment = unit.all('Service', 'Environment').map((pair) => pair.split('='));
    const names = environment.map(([setting = '']) => setting);
    expect(names.filter((setting) => !known.has(setting))).toEqual(
      name.includes('@') ? ['NODE_ENV', 'ROLE'] : ['NODE_ENV'],
    );
    const [, dataDir] = environment.find(([setting]) => setting === 'DATA_DIR') ?? [];
    expect(dataDir).toBe(`/var/lib/${one('StateDirectory')}`);
    expect(one('WorkingDirectory')).toBe(dataDir);
  });

  it('hears from it that it is up and alive', () => {
    expect([one('Type'), one('NotifyAccess')]).toEqual(['notify', 'all']);
    // Visitors of a frozen process wait for less than 10 seconds, and a busy machine is not mistaken for a frozen process.
    expect(Number(one('WatchdogSec'))).toBe(8);
  });

  it('lets it stop in peace, start again after a crash, and do nothing else', () => {
    const drain = Number(/\bSHUTDOWN_DRAIN=(\d+)/.exec(one('Environment'))?.[1] ?? 0);
    // A few seconds more than the service needs at most with the default SHUTDOWN_GRACE.
    expect(Number(one('TimeoutStopSec'))).toBeGreaterThanOrEqual(drain + 15 + 5 + 5);
    expect(drain > 0).toBe(name !== 'inlet.service');
    expect(one('KillMode')).toBe('mixed');
    expect(one('Restart')).toBe('on-failure');
    expect(Number(one('LimitNOFILE'))).toBeGreaterThanOrEqual(65_536);
    expect(one('User')).toBe('inlet');
    for (const [directive, value] of [
      ['NoNewPrivileges', 'yes'],
      ['ProtectSystem', 'strict'],
      ['ProtectHome', 'yes'],
      ['PrivateTmp', 'yes'],
      ['CapabilityBoundingSet', ''],
      // Compiled code and the image codec could not run.
      ['MemoryDenyWriteExecute', 'no'],
    ] as const) {
      expect(unit.all('Service', directive), directive).toEqual([value]);
    }
  });
});

describe('the daily backup', () => {
  it('has units that systemd understands', async () => {
    const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
    for (const name of ['inlet-backup.service', 'inlet-backup.timer']) {
      const content = await text(name);
      // Throws on lines that are not directives.
      expect(parseUnit(content).text).toBe(content);
      await writeFile(join(folder, name), content.replaceAll('/usr/bin/node', process.execPath));
    }
    if (!hasSystemd) return;
    const paths = ['inlet-backup.service', 'inlet-backup.timer'].map((name) => join(folder, name));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
      encoding: 'utf8',
    });
    expect((stdout + stderr).split('\n').filter((line) => line.includes('inlet'))).toEqual([]);
  });

  it('runs a command that there is, makes up for missed days, and may do no more than the service', async () => {
    const unit = parseUnit(await text('inlet-backup.service'));
    const service = parseUnit(await text('inlet.service'));
    const [, , ...words] = unit.all('Service', 'ExecStart').join(' ').split(' ');
    const found = findCommand(commands, words);
    const { command, args } = parseInvocation(found.command, found.rest);
    expect(command.words).toEqual(['backup']);
    const folders = unit.all('Service', 'StateDirectory').join(' ').split(' ');
    expect(folders.map((name) => `/var/lib/${name}`)).toContain(args.required('to'));
    expect(Number(args.required('keep'))).toBeGreaterThan(1);
    for (const directive of [
      ...['User', 'NoNewPrivileges', 'CapabilityBoundingSet', 'ProtectSystem', 'ProtectHome', 'PrivateTmp'],
      ...['PrivateDevices', 'ProtectProc', 'RestrictAddressFamilies', 'RestrictNamespaces', 'UMask'],
    ]) {
      expect(unit.all('Service', directive), directive).toEqual(service.all('Service', directive));
    }
    const timer = parseUnit(await text('inlet-backup.timer'));
    expect(timer.all('Timer', 'OnCalendar')).toEqual(['daily']);
    expect(timer.all('Timer', 'Persistent')).toEqual(['true']);
  });
});

it('lets a second process of a role have a name of its own', () => {
  const unit = parseUnit(template);
  const lines = unit.all('Service', 'Environment');
  expect(unit.all('Service', 'ExecStart').join()).toMatch(/ serve --role \$\{ROLE\}$/);
  // Its own file is read last and overrides ROLE.
  expect(lines).toContain('ROLE=%i');
  expect(unit.all('Service', 'EnvironmentFile').at(-1)).toBe('-/etc/inlet/%i.env');
});

it('has an example of its settings, all of which there are and are accepted', async () => {
  const { set, suggested } = envLines(await text('inlet.env.example'));
  const foreign = [...Object.keys(set), ...suggested].filter((name) => !known.has(name));
  expect(foreign).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
  const { code, stderr } = await inlet(['config'], { dataDir: folder, env: { ...set } });
  expect([code, stderr]).toEqual([0, '']);
});

it('the guide has a command for operators that runs the same program, as the same user and with the same settings', async () => {
  const guide = await readFile(new URL('docs/guides/going-live.md', root), 'utf8');
  const [, script = ''] = /\/usr\/local\/bin\/inlet <<'EOF'\n(#!\/bin\/sh\n.*?\n)EOF\n/s.exec(guide) ?? [];
  expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
  const service = parseUnit(await text('inlet.service'));
  const one = (directive: string): string => service.all('Service', directive).join(' ');
  expect(script).toContain(` ${one('ExecStart').replace(/ serve$/, ' "$@"')}\n`);
  expect(script).toContain(` --uid=${one('User')} `);
  // Otherwise systemd logs the whole command line, including secrets.
  expect(script).toContain(' --description=inlet ');
  expect(script).toContain(` -p UMask=${one('UMask')} `);
  expect(script).toContain(` -p EnvironmentFile=${one('EnvironmentFile').replace(/^-/, '')} `);
  expect(script).toContain(`:-${one('WorkingDirectory')}}" `);
});
