/** The compose files: every setting, command and health check in them exists. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { commands } from '#inlet/cli/commands.js';
import { findCommand, parseInvocation } from '#inlet/cli/parse.js';
import { settings } from '#inlet/config/options.js';
import { inlet } from '../support/cli.js';
import { temporaryFolder } from '../support/server.js';
import { findPostgres } from '../support/services/postgres.js';
import { findRedis, startRedis } from '../support/services/redis.js';
import { parseDockerfile } from './dockerfile.js';
import { envLines } from './env-file.js';
import { ourImage } from './image-name.js';

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly env_file?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const root = new URL('../../', import.meta.url);
const text = (name: string): Promise<string> => readFile(new URL(name, root), 'utf8');
const names = ['compose.yaml', 'compose.single.yaml'] as const;
const files = await Promise.all(
  names.map(async (name) => ({ name, compose: parse(await text(name), { merge: true }) as Compose })),
);
const example = envLines(await text('deploy/compose.env.example'));
const ours = files.flatMap(({ name, compose }) =>
  Object.entries(compose.services)
    .filter(([, service]) => service.image === ourImage)
    .map(([service, spec]) => ({ where: `${service} of ${name}`, spec })),
);
const known = new Set(settings.map(([, option]) => option.env));
/** Read by the client of the object store, not by Inlet. */
const ofTheStore = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
/** Used only in the compose file. */
const ofCompose = ['DOMAIN', 'POSTGRES_PASSWORD'];

const filledIn: Record<string, string> = {
  ...example.set,
  POSTGRES_PASSWORD: '0123456789abcdef',
  INLET_SECRET: 'a secret of thirty-two characters',
};
/** Replaces `${NAME}` and `${NAME:?what is missing}` the way compose does. */
const fillIn = (value: string): string =>
  value.replaceAll(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => filledIn[name] ?? `no ${name}`);

let dataDir = '';
beforeAll(async () => {
  dataDir = await temporaryFolder();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe.each(ours)('$where', ({ spec }) => {
  it('has only settings that there are, with values that are accepted', async () => {
    const env = Object.fromEntries(
      Object.entries(spec.environment ?? {}).map(([name, value]) => [name, fillIn(value)]),
    );
    expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
    expect(Object.values(env).join(' ')).not.toContain('no ');
    const { code, stderr } = await inlet(['config'], { dataDir, env });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('has a command that there is', () => {
    const found = findCommand(commands, spec.command ?? ['serve']);
    expect(parseInvocation(found.command, found.rest).command.words).toEqual(['serve']);
  });

  it('is given the time to stop, and no rights that it does not need', () => {
    const drain = Number(spec.environment?.SHUTDOWN_DRAIN ?? 0);
    // As in the systemd units.
    expect(Number.parseInt(spec.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(drain + 15 + 5 + 5);
    expect(spec).toMatchObject({
      build: '.',
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });
});

describe.each(files)('$name', ({ compose }) => {
  it('names only services and volumes of its own, and waits only for those with a health check', async () => {
    const stages = parseDockerfile(await text('Dockerfile'));
    const imageHasOne = stages.at(-1)?.instructions.some(({ name }) => name === 'HEALTHCHECK');
    for (const [name, { volumes = [], depends_on = {} }] of Object.entries(compose.services)) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        const isThere = source.startsWith('./')
          ? existsSync(new URL(source, root))
          : source in compose.volumes;
        expect(isThere, `${name}: ${volume}`).toBe(true);
      }
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const service = compose.services[other];
        expect(service, `${name} waits for ${other}`).toBeDefined();
        const isChecked = service?.healthcheck !== undefined || (service?.image === ourImage && imageHasOne);
        expect([condition, isChecked], other).toEqual(['service_healthy', true]);
      }
    }
  });

  it('leads the proxy to every process that answers requests', () => {
    const { environment } = compose.services.proxy ?? {};
    const answering = Object.entries(compose.services)
      .filter(([, { image, command }]) => image === ourImage && !command?.includes('worker'))
      .map(([name]) => `${name}:3000`);
    expect(environment?.UPSTREAMS?.split(' ')).toEqual(answering);
  });

  it('publishes the proxy alone, whose way leads to PORT and never to OPS_PORT', async () => {
    const published = Object.entries(compose.services).filter(([, service]) => 'ports' in service);
    expect(published.map(([name]) => name)).toEqual(['proxy']);
    expect(compose.services.proxy?.ports).toEqual(['80:80', '443:443', '443:443/udp']);
    const opsPorts = Object.values(compose.services)
      .filter(({ image }) => image === ourImage)
      .map(({ environment }) => environment?.OPS_PORT);
    const caddyfile = await text('deploy/compose.Caddyfile');
    for (const opsPort of opsPorts) {
      // It must be set: otherwise an instance with a public BASE_URL cannot be monitored.
      expect(opsPort).toMatch(/^\d+$/);
      expect(caddyfile).not.toContain(opsPort);
    }
  });
});

describe('compose.yaml', () => {
  const services: Compose['services'] = files[0]?.compose.services ?? {};

  it('asks the database with a command that works', () => {
    const [kind, program = '', ...words] = services.postgres?.healthcheck?.test ?? [];
    expect(kind).toBe('CMD');
    const { hostname, port } = new URL(inject('services').databaseUrl);
    const at = [`--host=${hostname}`, `--port=${port}`];
    const asked = spawnSync(join(findPostgres() ?? '', program), [...words, ...at], { encoding: 'utf8' });
    expect([asked.status, asked.stderr]).toEqual([0, '']);
  });

  it('starts Redis with settings that it takes, and asks it with a command that works', async () => {
    const [server, ...flags] = services.redis?.command ?? [];
    expect(server).toBe('redis-server');
    const redis = await startRedis(flags);
    try {
      const [kind, program = '', ...words] = services.redis?.healthcheck?.test ?? [];
      expect(kind).toBe('CMD');
      const installed = findRedis() ?? '';
      const client = join(dirname(installed), installed.endsWith('valkey-server') ? 'valkey-cli' : program);
      const ask = (...more: string[]) =>
        spawnSync(client, ['-p', String(redis.port), ...more], { encoding: 'utf8' }).stdout.trim();
      expect(ask(...words)).toBe('PONG');
      expect(ask('config', 'get', 'maxmemory-policy')).toContain('allkeys-lru');
      expect(ask('config', 'get', 'save')).toBe('save');
    } finally {
      await redis.dispose();
    }
  });

  it('has an example of its settings that names all it needs and nothing else', async () => {
    const needed = [...(await text('compose.yaml')).matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? '');
    expect(Object.keys(example.set)).toEqual(expect.arrayContaining([...new Set(needed)]));
    const foreign = [...Object.keys(example.set), ...example.suggested].filter(
      (name) => !known.has(name) && !ofTheStore.includes(name) && !ofCompose.includes(name),
    );
    expect(foreign).toEqual([]);
  });
});
