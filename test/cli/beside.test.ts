/** Commands next to a running server, on the same data. */
import { join } from 'node:path';
import { verify } from '@node-rs/argon2';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlet, inletJson, until, upload } from '../support/cli.js';
import { client, makeForm } from '../support/client.js';
import { signedIn, signIn } from '../support/dashboard.js';
import { startMailServer } from '../support/mail-server.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { codeOf } from '../support/sign-in.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.dispose());

const options = () => ({ dataDir: server.dataDir });
const unknownId = '01900000-0000-7000-8000-000000000000';

function passwordHash(email: string): string {
  const db = new DatabaseSync(join(server.dataDir, 'inlet.db'), { readOnly: true });
  try {
    const row = db
      .prepare(
        'SELECT logins.password_hash AS hash FROM users JOIN logins ON logins.id = login_id WHERE email = ?',
      )
      .get(email);
    return (row as { hash: string } | undefined)?.hash ?? '';
  } finally {
    db.close();
  }
}

describe('keys and users of the only account', () => {
  it('makes a key that works at once, and revokes it at once', async () => {
    const made = await inletJson(['keys', 'create', '--name', ' Reports ', '--scope', 'read'], options());
    expect(Object.keys(made)).toEqual([
      'id',
      'account_id',
      'name',
      'scope',
      'expires_at',
      'project_ids',
      'api_key',
    ]);
    expect(made).toMatchObject({ name: 'Reports', scope: 'read', expires_at: null });
    const reader = client(server.url, made.api_key);
    expect((await reader.get('/api/v1/projects')).status).toBe(200);
    expect((await reader.post('/api/v1/projects', { name: 'No' })).status).toBe(403);

    const listed = await inletJson(['keys', 'list'], options());
    const keys = [
      'id',
      'account_id',
      'name',
      'scope',
      'prefix',
      'created_at',
      'expires_at',
      'last_used_at',
      'project_ids',
    ];
    expect(listed.map((item: object) => Object.keys(item))).toEqual([keys, keys]);
    expect(listed[1]).toMatchObject({ id: made.id, prefix: made.api_key.slice(0, 12) });
    expect(JSON.stringify(listed)).not.toContain(made.api_key);

    expect(await inletJson(['keys', 'revoke', made.id], options())).toEqual({
      id: made.id,
      account_id: made.account_id,
      revoked: true,
    });
    expect((await reader.get('/api/v1/projects')).status).toBe(401);
    const again = await inlet(['keys', 'revoke', made.id], options());
    expect([again.code, again.stderr]).toEqual([
      1,
      `There is no key ${made.id}. See them all: inlet keys list\n`,
    ]);
  });

  it('makes a key that expires', async () => {
    const create = ['keys', 'create', '--name', 'Audit', '--days'];
    const before = Date.now();
    const made = await inletJson([...create, '30'], options());
    expect(Date.parse(made.expires_at)).toBeGreaterThanOrEqual(before + 30 * 86_400_000);
    expect((await client(server.url, made.api_key).get('/api/v1/account')).status).toBe(200);
    for (const days of ['0', '1.5', 'x', '3651']) {
      const refused = await inlet([...create, days], options());
      expect([refused.code, refused.stderr]).toEqual([
        1,
        `--days is a whole number from 1 to 3650, not "${days}"\n`,
      ]);
    }
    await inlet(['keys', 'revoke', made.id], options());
  });

  it('makes a key that is limited to projects', async () => {
    const [here, there] = [await makeForm(server.url), await makeForm(server.url)];
    const create = ['keys', 'create', '--name', 'Limited', '--project'];
    const made = await inletJson([...create, here.projectId], options());
    expect(made.project_ids).toEqual([here.projectId]);
    const limited = client(server.url, made.api_key);
    expect((await limited.get(`/api/v1/projects/${here.projectId}`)).status).toBe(200);
    expect((await limited.get(`/api/v1/projects/${there.projectId}`)).status).toBe(404);
    const refused = await inlet([...create, made.id], options());
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('A --project is not a project of this account.');
    await inlet(['keys', 'revoke', made.id], options());
  });

  it('gives a user another role, which counts within a second; the last owner keeps it', async () => {
    expect((await inletJson(['users', 'create', '--email', 'owner@example.com'], options())).role).toBe(
      'owner',
    );
    const credentials = { email: 'roles@example.com', password: 'pässword of mine' };
    const input = { ...options(), input: `${credentials.password}\n` };
    const create = ['users', 'create', '--email', credentials.email, '--role', 'viewer', '--password-stdin'];
    expect((await inletJson(create, input)).role).toBe('viewer');
    const person = await signedIn(server, credentials);
    expect((await person.ask('POST', '/labels', { name: 'By a viewer' })).status).toBe(403);
    const setRole = ['users', 'set-role', '--email', credentials.email, '--role'];
    expect(await inletJson([...setRole, 'editor'], options())).toMatchObject({ role: 'editor' });
    await until(
      () => person.ask('POST', '/labels', { name: 'By an editor' }),
      ({ status }) => status === 201,
    );
    const listed = await inletJson(['users', 'list'], options());
    const owners = listed.filter((user: { role: string }) => user.role === 'owner');
    expect(owners.map(({ email }: { email: string }) => email)).toEqual(['owner@example.com']);
    const demote = ['users', 'set-role', '--email', 'owner@example.com', '--role', 'viewer'];
    const refused = await inlet(demote, options());
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'The last owner of an account cannot be deleted or get another role.\n',
    ]);
    await inlet(['users', 'remove', '--email', credentials.email], options());
  });

  it('makes users with a password from a pipe or of its own', async () => {
    const create = ['users', 'create', '--email', 'Ada@example.com'];
    const piped = { ...options(), input: 'pässword of mine\n' };
    const user = await inletJson([...create, '--password-stdin'], piped);
    expect(Object.keys(user)).toEqual(['id', 'account_id', 'email', 'role']);
    expect(user.email).toBe('ada@example.com');
    expect(await verify(passwordHash('ada@example.com'), 'pässword of mine')).toBe(true);

    const twice = await inlet(create, options());
    expect([twice.code, twice.stdout]).toEqual([1, '']);
    expect(twice.stderr).toContain('inlet users reset-password');

    const reset = await inletJson(['users', 'reset-password', '--email', 'ada@example.com'], options());
    expect(Object.keys(reset)).toEqual(['email', 'password']);
    expect(await verify(passwordHash('ada@example.com'), reset.password)).toBe(true);
  });

  it('lets somebody in again who has lost the second factor', async () => {
    const person = { email: 'lost@example.com', password: 'a password of mine' };
    const made = ['users', 'create', '--email', person.email, '--password-stdin'];
    await inletJson(made, { ...options(), input: `${person.password}\n` });
    const me = await signedIn(server, person);
    const reset = ['users', 'reset-two-factors', '--email', person.email];
    expect(await inletJson(reset, options())).toEqual({ email: person.email, reset: false });
    const { secret } = (await me.ask('POST', '/session/totp', { current_password: person.password })).body;
    expect((await me.ask('PUT', '/session/totp', { code: codeOf(secret) })).status).toBe(200);
    expect((await signIn(server, person)).status).toBe(401);
    const { stdout } = await inlet(reset, options());
    expect(stdout).toBe(`User ${person.email} signs in with the password alone.\n`);
    expect((await signIn(server, person)).status).toBe(200);
  });

  it('lists users, and removes one who is signed out at once', async () => {
    for (const email of ['stays@example.com', 'leaves@example.com']) {
      const input = { ...options(), input: 'pässword of mine\n' };
      await inletJson(['users', 'create', '--email', email, '--password-stdin'], input);
    }
    const listed = await inletJson(['users', 'list'], options());
    const leaving = listed.find(({ email }: { email: string }) => email === 'leaves@example.com');
    expect(Object.keys(leaving)).toEqual(['id', 'account_id', 'email', 'role', 'projects', 'created_at']);
    const [head, ...rows] = (await inlet(['users', 'list'], options())).stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID {36}ACCOUNT +E-MAIL +CREATED +ROLE$/);
    expect(rows).toHaveLength(listed.length);

    const person = await signedIn(server, { email: 'leaves@example.com', password: 'pässword of mine' });
    expect((await person.ask('GET', '/session')).status).toBe(200);
    const remove = ['users', 'remove', '--email', 'Leaves@example.com'];
    expect(await inletJson(remove, options())).toEqual({
      id: leaving.id,
      account_id: leaving.account_id,
      email: 'leaves@example.com',
      removed: true,
    });
    await until(
      () => person.ask('GET', '/session'),
      ({ status }) => status === 401,
    );
    const left = await inletJson(['users', 'list', '--account', leaving.account_id], options());
    expect(left.map(({ id }: { id: string }) => id)).not.toContain(leaving.id);
    const again = await inlet(remove, options());
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain('There is no user Leaves@example.com.');
  });

  it.each([
    [
      'an unknown user',
      ['users', 'reset-password', '--email', 'b@example.com'],
      '',
      1,
      'There is no user b@example.com.',
    ],
    [
      'a short password',
      ['users', 'create', '--email', 'c@example.com', '--password-stdin'],
      'short\n',
      1,
      'is too short',
    ],
    ['no address', ['users', 'create', '--email', 'nobody'], '', 2, 'is not an e-mail address'],
    [
      'an unknown account',
      ['keys', 'create', '--name', 'A', '--account', unknownId],
      '',
      1,
      'inlet accounts list',
    ],
  ])('refuses %s', async (_, words, input, code, text) => {
    const ran = await inlet(words, { ...options(), input });
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(text);
  });
});

describe('accounts', () => {
  it('makes an account whose key works at once, and changes its plan', async () => {
    const { code, stdout } = await inlet(
      ['accounts', 'create', '--name', 'Second', '--plan', 'starter', '--json'],
      options(),
    );
    expect(code).toBe(0);
    const made = JSON.parse(stdout) as Record<string, string>;
    expect(stdout).toBe(`{"id":"${made.id}","name":"Second","plan":"starter","api_key":"${made.api_key}"}\n`);

    const { endpoint } = await makeForm(server.url, { key: made.api_key ?? '' });
    const send = () => upload(endpoint, 'text');
    expect((await send()).status).toBe(402);
    const changed = await inletJson(['accounts', 'set-plan', made.id ?? '', '--plan', 'pro'], options());
    expect(changed).toEqual({ id: made.id, name: 'Second', plan: 'pro' });
    await until(send, ({ status }) => status === 200);

    const listed = await inletJson(['accounts', 'list'], options());
    expect(listed).toHaveLength(2);
    expect(listed[1]).toEqual({
      id: made.id,
      name: 'Second',
      plan: 'pro',
      projects: 1,
      forms: 1,
      submissions: 1,
      created_at: expect.stringMatching(/^\d{4}-.+Z$/),
    });
    const [head, ...rows] = (await inlet(['accounts', 'list'], options())).stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID {36}NAME +PLAN +PROJECTS/);
    expect(rows).toHaveLength(2);
    const at = head?.indexOf('PLAN') ?? 0;
    expect(rows.map((row) => row.slice(at).split(' ')[0])).toEqual(['enterprise', 'pro']);

    const unnamed = await inlet(['keys', 'create', '--name', 'A'], options());
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toContain('There are 2 accounts: name one with --account ID');
    const own = await inletJson(['keys', 'list', '--account', made.id ?? ''], options());
    expect(own).toHaveLength(1);
  });

  it('refuses unknown accounts and two names for one', async () => {
    const unknown = await inlet(['accounts', 'set-plan', unknownId, '--plan', 'pro'], options());
    expect(unknown.code).toBe(1);
    const twice = ['accounts', 'set-plan', unknownId, '--account', 'other', '--plan', 'pro'];
    expect((await inlet(twice, options())).code).toBe(2);
  });

  it('takes DEFAULT_PLAN when no plan is named', async () => {
    const env = { DEFAULT_PLAN: 'business' };
    const made = await inletJson(['accounts', 'create', '--name', 'Third'], { ...options(), env });
    expect(made.plan).toBe('business');
  });

  it('says how a person signs in to a new account', async () => {
    const { stdout } = await inlet(['accounts', 'create', '--name', 'Fourth'], options());
    const id = /^Account {2}(\S+)$/m.exec(stdout)?.[1] ?? '';
    const [, line = ''] = /: inlet (users create .+)\n$/.exec(stdout) ?? [];
    const user = await inletJson(line.replace('ADDRESS', 'fourth@example.com').split(' '), options());
    expect(user).toMatchObject({ account_id: id, email: 'fourth@example.com' });
  });

  it('may have a user with the same address: which one is meant has to be said', async () => {
    const [{ id: one }, { id }] = await inletJson(['accounts', 'list'], options());
    const ofAnother = ['--email', 'both@example.com', '--account', id];
    await inletJson(['users', 'create', '--email', 'both@example.com', '--account', one], options());
    const made = await inletJson(['users', 'create', ...ofAnother], options());
    expect(made.account_id).toBe(id);

    const unclear = await inlet(['users', 'reset-password', '--email', 'both@example.com'], options());
    expect([unclear.code, unclear.stdout]).toEqual([1, '']);
    expect(unclear.stderr).toContain('--account');
    const reset = await inletJson(['users', 'reset-password', ...ofAnother], options());
    expect(Object.keys(reset)).toEqual(['email', 'password']);
  });

  it('keeps the last user of an account', async () => {
    const { id } = await inletJson(['accounts', 'create', '--name', 'Lonely'], options());
    const only = ['--email', 'only@example.com', '--account', id];
    await inletJson(['users', 'create', ...only], options());
    const ran = await inlet(['users', 'remove', ...only], options());
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toBe(
      'The last user of an account cannot be deleted. Create another one first: inlet users create\n',
    );
    expect(await inletJson(['users', 'list', '--account', id], options())).toHaveLength(1);
  });
});

describe('what is in force and how it is', () => {
  it('migrates nothing that is up to date', async () => {
    const ran = await inletJson(['migrate'], options());
    expect(ran).toEqual({ database: join(server.dataDir, 'inlet.db'), applied: [] });
  });

  it('shows settings without secrets', async () => {
    const env = { INLET_API_KEY: apiKey, PORT: '8080' };
    const described = await inletJson(['config'], { ...options(), env });
    expect(described.find((item: { name: string }) => item.name === 'PORT')).toEqual({
      name: 'PORT',
      value: '8080',
      source: 'environment',
      doc: expect.any(String),
    });
    expect(JSON.stringify(described)).not.toContain(apiKey);
    const { stdout } = await inlet(['config'], { ...options(), env });
    expect(stdout).toMatch(/^PORT +8080 +environment$/m);
    expect(stdout).not.toContain('\x1b');
  });

  it('finds a sound instance sound', async () => {
    const { ok, checks } = await inletJson(['doctor'], options());
    expect(ok).toBe(true);
    expect(checks[0].message).toMatch(/^\d+ of \d+ set for this command/);
    const states = new Map(checks.map((check: { name: string; state: string }) => [check.name, check.state]));
    expect(Object.fromEntries(states)).toEqual({
      settings: 'ok',
      'base url': 'warn',
      proxy: 'ok',
      monitoring: 'ok',
      'e-mail': 'ok',
      images: 'ok',
      'data folder': 'ok',
      'disk space': expect.stringMatching(/ok|warn/),
      database: 'ok',
      'erasing persons': 'ok',
      'audit log': 'ok',
      files: 'ok',
      'space reserve': 'ok',
      // Only when there are submissions.
      ...(states.has('last backup') ? { 'last backup': 'warn' } : {}),
      secret: 'ok',
      'secret file': 'ok',
    });
  });

  it('tries the mail server out', async () => {
    const mail = await startMailServer();
    const tried = async (url: string) => {
      const env = { SMTP_URL: url, MAIL_FROM: 'forms@example.com' };
      const { code, stdout } = await inlet(['doctor', '--json'], { ...options(), env });
      const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; message: string }[] };
      return { code, check: checks.find((check) => check.name === 'e-mail') };
    };
    try {
      expect(await tried(mail.url)).toMatchObject({ code: 0, check: { state: 'ok' } });
    } finally {
      await mail.close();
    }
    const { code, check } = await tried(mail.url);
    expect(code).toBe(1);
    expect(check).toMatchObject({ state: 'fail', message: expect.stringMatching(/refused|ECONNREFUSED/i) });
  });

  it('finds a secret that does not fit the data', async () => {
    const env = { INLET_SECRET: 'another secret of enough length 0123' };
    const { code, stdout } = await inlet(['doctor'], { ...options(), env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +database +The secret does not open what is stored\. .*INLET_SECRET/m);
  });

  it('lists wrong settings as faults', async () => {
    const { code, stdout } = await inlet(['doctor', '--json'], {
      ...options(),
      env: { PORT: 'x', HOST: ':' },
    });
    expect(code).toBe(1);
    const { ok, checks } = JSON.parse(stdout);
    expect([ok, checks.map((check: { state: string }) => check.state)]).toEqual([false, ['fail', 'fail']]);
  });
});
