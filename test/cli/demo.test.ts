import { spawn } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { inlet, until } from '../support/cli.js';
import { request } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { entry, node, plainEnvironment, temporaryFolder } from '../support/server.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Demo {
  readonly dashboard_url: string;
  readonly email: string;
  readonly password: string;
  readonly try_url: string;
  readonly data_dir: string;
}

async function startDemo(env: Record<string, string> = {}, words: readonly string[] = ['--json']) {
  const child = spawn(node, [entry, 'demo', ...words], {
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanups.push(() => {
    child.kill('SIGKILL');
    return exited;
  });
  const said = { out: '', err: '', hasEnded: false };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  void exited.then(() => {
    said.hasEnded = true;
  });
  return { child, exited, said };
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Signs in the way the dashboard does. */
async function signedIn({ dashboard_url, email, password }: Demo) {
  const { origin } = new URL(dashboard_url);
  const session = await fetch(`${origin}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
  expect(session.status).toBe(200);
  const cookie = session.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
  return async (path: string) => (await request(`${origin}/api/v1${path}`, { headers: { cookie } })).body;
}

describe('inlet demo', () => {
  it('starts filled, shows forms to try, and leaves nothing behind', async () => {
    const { child, exited, said } = await startDemo({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' });
    await until(
      () => said,
      ({ out, hasEnded }) => out.endsWith('\n') || hasEnded,
    );
    expect(said.out, said.err).not.toBe('');
    const demo: Demo = JSON.parse(said.out);
    expect(await isThere(demo.data_dir)).toBe(true);
    const get = await signedIn(demo);

    const forms: { name: string; submissions_count: number; endpoint: string }[] = [];
    for (const project of (await get('/projects')).data) {
      forms.push(...(await get(`/projects/${project.id}/forms`)).data);
    }
    expect(forms.map(({ name }) => name).sort()).toEqual([
      'Contact',
      'Feedback',
      'Festival registration',
      'Job application',
      'Newsletter',
      'Photo contest',
      'Support',
    ]);
    const total = forms.reduce((sum, { submissions_count: count }) => sum + count, 0);
    expect(total).toBeGreaterThan(400);
    const { days } = await get('/stats?days=30');
    expect(days.filter(({ received }: { received: number }) => received > 0).length).toBeGreaterThan(25);
    expect((await get('/spam')).data).toHaveLength(3);
    expect((await get('/labels')).data).toHaveLength(3);
    expect((await get('/submissions?folder=unconfirmed')).data.length).toBeGreaterThan(0);
    expect((await get('/submissions?folder=archive')).data.length).toBeGreaterThan(0);
    expect((await get('/submissions?is_read=false&folder=inbox')).data.length).toBeGreaterThan(0);
    await until(
      () => get('/attention'),
      ({ data }) => JSON.stringify(data).includes('Applicant system'),
    );

    const page = await (await fetch(demo.try_url)).text();
    for (const { endpoint, name } of forms) {
      expect(page).toContain(endpoint);
      expect(await (await fetch(endpoint, { headers: { accept: 'text/html' } })).text()).toContain(
        `<title>${name}</title>`,
      );
    }
    await until(
      async () => (await fetch(demo.try_url)).text(),
      (text) => text.includes('to shop@example.com') && text.includes('/confirm'),
    );

    child.kill('SIGINT');
    expect(await exited).toBe(0);
    expect(await isThere(demo.data_dir)).toBe(false);
    await expect(fetch(demo.try_url)).rejects.toThrow();
  });

  it('listens at PORT, and prints how to sign in and how to stop', async () => {
    const port = await freePort();
    const { child, exited, said } = await startDemo({ PORT: String(port) }, []);
    await until(
      () => said,
      ({ out, hasEnded }) => out.includes('Ctrl+C') || hasEnded,
    );
    expect(said.out).toContain(`Dashboard     http://127.0.0.1:${port}/dashboard\n`);
    expect(said.out).toMatch(
      /E-mail {8}ada@example\.com\n {2}Password {6}\S{12,}\n {2}Forms to try {2}http:/,
    );
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  it('can be stopped while it fills, and says what is wrong with a setting', async () => {
    const TMPDIR = await temporaryFolder();
    const { child, exited, said } = await startDemo({ TMPDIR });
    await until(
      () => said,
      ({ err, hasEnded }) => err.includes('Filling') || hasEnded,
    );
    child.kill('SIGTERM');
    expect(await exited, said.err).toBe(0);
    expect(await readdir(TMPDIR)).toEqual([]);
    const wrong = await inlet(['demo'], { dataDir: tmpdir(), env: { PORT: 'x', TMPDIR } });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('PORT');
    expect(await readdir(TMPDIR)).toEqual([]);
  });
});
