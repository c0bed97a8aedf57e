/** The files for Fly, Railway, Render and Coolify: our image, its port and folder, settings that exist, and enough time to stop. */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '#inlet/config/options.js';
import { inlet } from '../support/cli.js';
import { temporaryFolder } from '../support/server.js';
import { parseDockerfile } from './dockerfile.js';
import { ourImage } from './image-name.js';

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const said = (file: string, word: string): string | undefined =>
  parseDockerfile(text(file))
    .at(-1)
    ?.instructions.find((one) => one.name === word)?.text;
const folder = said('Dockerfile', 'VOLUME');
const port = Number(said('Dockerfile', 'EXPOSE'));

type Table = Record<string, string | number | boolean>;
/** Parses as much TOML as fly.toml uses: tables by name, values as in JSON. */
function parseToml(source: string): Readonly<Record<string, Table>> {
  let table: Table = {};
  const tables: Record<string, Table> = { '': table };
  for (const line of source.split('\n').map((one) => one.trim())) {
    const [, name] = /^\[\[?([\w.]+)\]?\]$/.exec(line) ?? [];
    const [, key, value] = /^(\w+) = (.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      table = {};
      tables[name] = table;
    } else if (key !== undefined && value !== undefined) table[key] = JSON.parse(value);
    else if (line !== '' && !line.startsWith('#')) throw new Error(`not understood: ${line}`);
  }
  return tables;
}

const fly = parseToml(text('deploy/fly.toml'));
const railway = JSON.parse(text('deploy/railway.json'));
const [render] = parse(text('deploy/render.yaml')).services;
const coolify = parse(text('deploy/coolify.yaml')).services.inlet;

/** What each file sets, and what its platform adds to the environment. */
const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fly.toml': {
    ...Object.fromEntries(Object.entries(fly.env ?? {}).map(([name, value]) => [name, String(value)])),
    BASE_URL: 'https://my-forms.fly.dev',
    FLY_APP_NAME: 'my-forms',
    FLY_MACHINE_ID: '1',
    PRIMARY_REGION: 'fra',
  },
  'railway.json': {
    BASE_URL: 'https://my-forms.up.railway.app',
    TRUST_PROXY: 'private,100.64.0.0/10',
    PORT: '8080',
    RAILWAY_PUBLIC_DOMAIN: 'my-forms.up.railway.app',
    RAILWAY_RUN_UID: '0',
    RAILWAY_VOLUME_MOUNT_PATH: '/data',
  },
  'render.yaml': {
    ...Object.fromEntries(
      render.envVars.map(({ key, value }: Record<string, string>) => [
        key,
        value ?? 'https://inlet.onrender.com',
      ]),
    ),
    PORT: '10000',
    RENDER: 'true',
    RENDER_EXTERNAL_URL: 'https://inlet.onrender.com',
  },
  'coolify.yaml': {
    ...coolify.environment,
    BASE_URL: 'https://forms.example.com',
    COOLIFY_URL: 'https://forms.example.com',
    COOLIFY_FQDN: 'forms.example.com',
    SERVICE_NAME_INLET: 'inlet',
    HOST: '0.0.0.0',
    PORT: '3000',
  },
};

let dataDir = '';
beforeAll(async () => {
  dataDir = await temporaryFolder();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe.each(Object.entries(environments))('%s', (_, env) => {
  it('has settings that are accepted', async () => {
    const { code, stderr } = await inlet(['config'], { dataDir, env });
    expect([code, stderr]).toEqual([0, '']);
  });
});

it('what the files set are settings', () => {
  const known = new Set(settings.map(([, option]) => option.env));
  const set = [
    ...Object.keys(fly.env ?? {}),
    ...render.envVars.map(({ key }: Record<string, string>) => key),
    ...Object.keys(coolify.environment),
  ];
  expect(set.filter((name) => !known.has(name))).toEqual([]);
});

it('all of them run the image of this version', () => {
  expect([fly.build?.image, coolify.image]).toEqual([ourImage, ourImage]);
  expect(text('deploy/render.Dockerfile')).toContain(`FROM ${ourImage}\n`);
  expect([render.dockerfilePath, render.dockerContext]).toEqual(['./deploy/render.Dockerfile', '.']);
  expect(railway.build).toEqual({ builder: 'DOCKERFILE', dockerfilePath: 'Dockerfile' });
});

it.each(['README.md', 'docs/guides/going-live.md', 'compose.yaml', 'compose.single.yaml'])(
  '%s names that image',
  (name) => {
    const named = text(name).match(/ghcr\.io\/inlet-forms\/inlet:[\w.]+/g);
    expect(new Set(named)).toEqual(new Set([ourImage]));
  },
);

it('all of them store its folder, and run one process', () => {
  expect(fly.mounts?.destination).toBe(folder);
  expect(render.disk.mountPath).toBe(folder);
  expect(coolify.volumes).toEqual([`data:${folder}`]);
  expect([railway.deploy.numReplicas, render.numInstances, fly.http_service?.min_machines_running]).toEqual([
    1, 1, 1,
  ]);
  // A machine that sleeps sends no webhooks.
  expect(fly.http_service?.auto_stop_machines).toBe('off');
});

it('all of them ask whether it is ready, and give it the time to stop', () => {
  expect(fly.http_service?.internal_port).toBe(port);
  expect([fly['http_service.checks']?.path, railway.deploy.healthcheckPath, render.healthCheckPath]).toEqual([
    '/readyz',
    '/readyz',
    '/readyz',
  ]);
  // As in the compose files. Render waits 30 s, which cannot be changed for a service with a disk.
  const waits = [
    fly['']?.kill_timeout,
    railway.deploy.drainingSeconds,
    Number.parseInt(coolify.stop_grace_period, 10),
  ];
  expect(waits).toEqual([30, 30, 30]);
  expect(fly['']?.kill_signal).toBe(said('Dockerfile', 'STOPSIGNAL'));
});

it('Coolify starts it with no right that it does not need', () => {
  expect(coolify).toMatchObject({
    read_only: true,
    tmpfs: ['/tmp'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
});
