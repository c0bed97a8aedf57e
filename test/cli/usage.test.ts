import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-usage-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const absent = () => join(folder, 'absent');
const run = (words: readonly string[], env: Record<string, string> = {}) =>
  inlet(words, { dataDir: absent(), env });

describe('help and version', () => {
  it('lists every command', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    const words =
      'serve|migrate|accounts create|accounts list|accounts set-plan|keys create|keys list|keys revoke|' +
      'users create|users list|users remove|users reset-password|users reset-two-factors|doctor|verify|adopt|backup|config';
    for (const command of words.split('|')) expect(stdout).toContain(`\n  ${command} `);
  });

  it('explains one command with its options', async () => {
    const asked = await run(['accounts', 'create', '--help']);
    expect(asked.code).toBe(0);
    expect(asked.stdout).toMatch(/--plan starter\|pro\|business\|enterprise {2}/);
    expect((await run(['help', 'accounts', 'create'])).stdout).toBe(asked.stdout);
    expect((await run(['keys', '--help'])).stdout).toContain('keys revoke');
  });

  it('names the version of the package', async () => {
    const packageText = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(packageText) as { version: string };
    expect((await run(['--version'])).stdout).toBe(`inlet ${version}\n`);
    expect((await run(['--version', '--json'])).json()).toEqual({ version });
  });
});

describe('a wrong call', () => {
  it.each([
    [['frob'], 'There is no command "frob".', 'inlet --help'],
    [['accounts'], '"inlet accounts" needs one more word: create, list, set-plan.', 'inlet accounts --help'],
    [['keys', 'frob'], '"inlet keys" has no "frob": create, list, revoke.', 'inlet keys --help'],
    [['accounts', 'create', '--frob'], 'There is no option --frob.', 'inlet accounts create --help'],
    [['accounts', 'create'], '--name is missing.', 'inlet accounts create --help'],
    [['serve', '--processes', '1'], '--processes "1" is not a number from 2 to 64.', 'inlet serve --help'],
    [
      ['serve', '--processes', 'all'],
      '--processes "all" is not a number from 2 to 64.',
      'inlet serve --help',
    ],
    [
      ['serve', '--role', 'boss'],
      '--role "boss" is not one of the choices: all, api, worker.',
      'inlet serve --help',
    ],
  ])('%j', async (words, message, help) => {
    const { code, stdout, stderr } = await run(words);
    expect([code, stdout, stderr]).toEqual([2, '', `${message}\nSee: ${help}\n`]);
    await expect(access(absent())).rejects.toThrow();
  });

  it('takes no password as an argument', async () => {
    const { code } = await run(['users', 'create', '--email', 'a@b.de', '--password', 'hush-hush-hush']);
    expect(code).toBe(2);
  });
});

describe('wrong settings', () => {
  it.each([[['serve']], [['accounts', 'list', '--json']], [['config']]])(
    '%j names every fault',
    async (words) => {
      const env = { PORT: 'x', BASE_URL: 'ftp://x', INLET_SECRET: 'hush', INLET_TOKEN: 'x' };
      const { code, stdout, stderr } = await run(words, env);
      expect([code, stdout]).toEqual([1, '']);
      const lines = stderr.trimEnd().split('\n');
      expect(lines.map((line) => line.split(' ')[0])).toEqual([
        'PORT',
        'BASE_URL',
        'INLET_SECRET',
        'INLET_TOKEN',
      ]);
      expect(stderr).not.toContain('hush');
      await expect(access(absent())).rejects.toThrow();
    },
  );

  it('refuses a port that no link can name', async () => {
    const zero = await run(['serve'], { PORT: '0' });
    expect([zero.code, zero.stderr]).toEqual([1, 'PORT 0 needs BASE_URL; expected both, or a fixed PORT\n']);
    await expect(access(absent())).rejects.toThrow();
  });

  it('has one process on the embedded database', async () => {
    for (const words of [
      ['--role', 'worker'],
      ['--role', 'api'],
      ['--processes', '2'],
    ]) {
      const { code, stdout, stderr } = await run(['serve', ...words]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(new RegExp(`^${words.join(' ')} needs .+ Set DATABASE_URL .+\\n$`));
    }
    await expect(access(absent())).rejects.toThrow();
  });
});

describe('data that cannot be used', () => {
  it('makes no database for a command that only looks', async () => {
    for (const words of [
      ['accounts', 'list'],
      ['keys', 'list'],
      ['backup', '--to', join(folder, 'copy')],
    ]) {
      const { code, stderr } = await run(words);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^There is no Inlet database in .+\n$/);
    }
    await expect(access(absent())).rejects.toThrow();
  });

  it('says why a folder cannot be made', async () => {
    const file = join(folder, 'file');
    await writeFile(file, 'text');
    for (const words of [['serve'], ['accounts', 'create', '--name', 'A'], ['migrate']]) {
      const { code, stdout, stderr } = await inlet(words, { dataDir: join(file, 'data') });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^Cannot use .+: a part of the path is a file, not a folder\. .+\n$/);
    }
  });

  it('refuses a damaged database and leaves it as it is', async () => {
    const dataDir = join(folder, 'damaged');
    expect((await inlet(['migrate'], { dataDir })).code).toBe(0);
    const path = join(dataDir, 'inlet.db');
    const bytes = await readFile(path);
    const next = 'Leave it as it is, and restore a backup into a new DATA_DIR: inlet restore BACKUP';
    // The list of tables in the first page, then the header that identifies the file as a database.
    for (const [from, what] of [
      [100, 'database disk image is malformed'],
      [0, 'file is not a database'],
    ] as const) {
      bytes.fill('broken!!', from, from + 64);
      await writeFile(path, bytes);
      for (const words of [['serve'], ['accounts', 'list']]) {
        const { code, stdout, stderr } = await inlet(words, { dataDir });
        expect([code, stdout, stderr]).toEqual([1, '', `${path} is damaged (${what}). ${next}\n`]);
      }
    }
    const doctor = await inlet(['doctor'], { dataDir });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/^fail +database +.+ is damaged \(file is not a database\)\. /m);
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it.each(['DATABSE_URL', 'DATABASE_URLFILE'])('refuses %s, a mistyped setting', async (name) => {
    const { code, stderr } = await run(['serve'], { [name]: 'postgres://db/inlet' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`${name} is not a setting; did you mean DATABASE_URL`),
    ]);
    await expect(access(absent())).rejects.toThrow();
  });
});
