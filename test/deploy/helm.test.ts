/** The Helm chart: it renders valid Kubernetes manifests, with settings that exist, and as docs/guides/going-live.md describes. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commands } from '#inlet/cli/commands.js';
import { findCommand, parseInvocation } from '#inlet/cli/parse.js';
import { settings } from '#inlet/config/options.js';
import { inlet } from '../support/cli.js';
import { parseDockerfile } from './dockerfile.js';
import { createRenderer } from './go-template.js';
import { version } from './image-name.js';

// biome-ignore lint/suspicious/noExplicitAny: manifests, which the compiler checks below
type Manifest = any;

const home = fileURLToPath(new URL('../../', import.meta.url));
const chartFolder = join(home, 'deploy/helm/inlet');
const text = (name: string): string => readFileSync(join(chartFolder, name), 'utf8');
const chart = parse(text('Chart.yaml'));
const defaults = parse(text('values.yaml'));
const templates = readdirSync(join(chartFolder, 'templates'));
const helpers = templates.filter((name) => name.startsWith('_')).map((name) => text(`templates/${name}`));
const render = createRenderer(helpers);

const secrets = {
  DATABASE_URL: 'postgres://inlet:secret@postgres:5432/inlet',
  STORAGE_URL: 's3://inlet?endpoint=https://s3.example.com&region=eu-central-1',
  INLET_SECRET: 'a secret of thirty-two characters',
  REDIS_URL: 'redis://redis:6379/0',
};
const cases = {
  little: { host: 'forms.example.com', secrets },
  everything: {
    host: 'forms.example.com',
    baseUrl: 'https://example.com/forms',
    existingSecret: 'inlet-settings',
    image: { tag: '1.2.3', pullPolicy: 'Always', pullSecrets: [{ name: 'registry' }] },
    settings: { MAIL_FROM: 'Forms <forms@example.com>', LOG_LEVEL: 'warn' },
    api: { replicas: 5 },
    shutdown: { drainSeconds: 30, graceSeconds: 60 },
    service: { type: 'LoadBalancer', port: 8080 },
    ingress: { className: 'nginx', tls: { secretName: 'wildcard' } },
    podDisruptionBudget: { maxUnavailable: '50%' },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, useOpsToken: true },
    serviceAccount: {
      create: true,
      annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/inlet' },
    },
    podAnnotations: { 'example.com/team': 'web' },
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: { nodeAffinity: {} },
  },
  'nothing optional': {
    host: 'forms.example.com',
    secrets,
    ingress: { enabled: false, annotations: null },
    podDisruptionBudget: { enabled: false },
    worker: { resources: null },
  },
};
type Name = keyof typeof cases;
const names = Object.keys(cases) as Name[];

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Merges values over the defaults of the chart like Helm: null removes one. */
function merge(under: unknown, over: unknown): unknown {
  if (!isMap(under) || !isMap(over)) return over;
  const all = { ...under };
  for (const [name, value] of Object.entries(over)) {
    if (value === null) delete all[name];
    else all[name] = name in under ? merge(under[name], value) : value;
  }
  return all;
}
const valuesOf = (values: object): Record<string, Manifest> =>
  merge(defaults, values) as Record<string, Manifest>;

const contextOf = (values: object, release: string) => ({
  Values: valuesOf(values),
  Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  Release: { Name: release, Namespace: 'default', Service: 'Helm' },
});

function manifestsOf(values: object, release = 'forms'): Manifest[] {
  return templates
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(render(text(`templates/${name}`), contextOf(values, release))))
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as Manifest;
    })
    .filter((manifest) => manifest !== null);
}
const ofKind = (manifests: Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);
const isPartOf = (part: object, whole: object): boolean =>
  Object.entries(part).every(([name, value]) => (whole as Record<string, unknown>)[name] === value);

const isValid = new Ajv({ strict: false }).compile(JSON.parse(text('values.schema.json')));

/** Where the Kubernetes types are. ServiceMonitor is not one of them. */
const typesOf: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  Service: 'core/v1',
  Secret: 'core/v1',
  ServiceAccount: 'core/v1',
  Ingress: 'networking/v1',
  PodDisruptionBudget: 'policy/v1',
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-chart-'));
  await symlink(join(home, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('renders manifests that Kubernetes knows to the last field', async () => {
  const manifests = names.flatMap((name) => manifestsOf(cases[name]));
  const typed = manifests.filter(({ kind }) => kind !== 'ServiceMonitor');
  expect(new Set(typed.map(({ kind }) => kind))).toEqual(new Set(Object.keys(typesOf)));
  const lines = typed.map((manifest, at) => {
    const type = `import('kubernetes-types/${typesOf[manifest.kind]}').${manifest.kind}`;
    return `export const m${at}: ${type} = ${JSON.stringify(manifest)};`;
  });
  const file = join(folder, 'manifests.ts');
  const check = async (source: string): Promise<string> => {
    await writeFile(file, source);
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    const compiler = join(home, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [compiler, ...flags, file], { cwd: folder, encoding: 'utf8' }).stdout;
  };
  expect(await check(lines.join('\n'))).toBe('');
  // Proves that the check would notice an error.
  expect(await check(lines.join('\n').replace('"readinessProbe"', '"readynessProbe"'))).toContain(
    'readynessProbe',
  );
});

describe.each(names)('with %s', (name) => {
  const values = valuesOf(cases[name]);
  const manifests = manifestsOf(cases[name]);
  const deployments = ofKind(manifests, 'Deployment');
  const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);

  it('takes its values', () => {
    expect([isValid(values), isValid.errors]).toEqual([true, null]);
  });

  it('runs both roles with settings that there are, and values that are accepted', async () => {
    const [secret] = ofKind(manifests, 'Secret');
    const known = new Set(settings.map(([, option]) => option.env));
    for (const { env, args, envFrom } of containers) {
      const set = Object.fromEntries(env.map((one: Manifest) => [one.name, one.value]));
      const all = { ...secrets, ...secret?.stringData, ...set };
      expect(Object.keys(all).filter((one) => !known.has(one))).toEqual([]);
      const { code, stderr } = await inlet(['config'], { dataDir: folder, env: all });
      expect([code, stderr]).toEqual([0, '']);
      expect(envFrom).toEqual([{ secretRef: { name: values.existingSecret || secret.metadata.name } }]);
      const found = findCommand(commands, args);
      expect(parseInvocation(found.command, found.rest).command.words).toEqual(['serve']);
    }
    expect(containers.map(({ args }) => args.at(-1))).toEqual(['api', 'worker']);
  });

  it('asks the right paths, and gives a process the time to stop', () => {
    const { drainSeconds, graceSeconds } = values.shutdown;
    for (const { spec } of deployments) {
      const { terminationGracePeriodSeconds, containers: all } = spec.template.spec;
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drainSeconds + graceSeconds + 5 + 5);
      const { startupProbe, livenessProbe, readinessProbe } = all[0];
      expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe.httpGet)).toEqual(
        ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })),
      );
      const { periodSeconds, timeoutSeconds, failureThreshold } = readinessProbe;
      expect((periodSeconds + timeoutSeconds) * failureThreshold).toBeLessThan(drainSeconds);
    }
  });

  it('runs the image as it is made: its user, its ports, its folders', () => {
    const instructions = parseDockerfile(readFileSync(join(home, 'Dockerfile'), 'utf8')).at(-1)?.instructions;
    const said = (word: string): string => instructions?.find((one) => one.name === word)?.text ?? '';
    const [uid] = said('USER').split(':').map(Number);
    for (const { spec } of deployments) {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: uid, fsGroup: uid });
      // Variables of services such as inlet would be unknown settings.
      expect([pod.enableServiceLinks, pod.automountServiceAccountToken]).toEqual([false, false]);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map((mount: Manifest) => mount.mountPath)).toEqual([
        said('VOLUME'),
        '/tmp',
      ]);
      const ports = Object.fromEntries(
        container.ports.map((port: Manifest) => [port.name, port.containerPort]),
      );
      const opsPort = container.env.find((one: Manifest) => one.name === 'OPS_PORT').value;
      expect(ports).toEqual({ http: Number(said('EXPOSE')), ops: Number(opsPort) });
    }
  });

  it('leads every name to what it names, and visitors to the API processes only', () => {
    const labelsOf = (kind: string): Manifest[] =>
      ofKind(manifests, kind).map(({ metadata }) => metadata.labels);
    const pods = deployments.map(({ spec }) => spec.template.metadata.labels);
    for (const { spec } of deployments) {
      const { matchLabels } = spec.selector;
      expect(pods.filter((labels) => isPartOf(matchLabels, labels))).toHaveLength(1);
    }
    const [http, metrics] = ofKind(manifests, 'Service');
    const rolesOf = (selector: object): string[] =>
      pods
        .filter((labels) => isPartOf(selector, labels))
        .map((labels) => labels['app.kubernetes.io/component']);
    expect([rolesOf(http.spec.selector), rolesOf(metrics.spec.selector)]).toEqual([
      ['api'],
      ['api', 'worker'],
    ]);
    expect(http.spec.ports.map((port: Manifest) => port.targetPort)).toEqual(['http']);
    for (const { spec } of ofKind(manifests, 'PodDisruptionBudget'))
      expect(rolesOf(spec.selector.matchLabels)).toHaveLength(1);
    for (const { spec } of ofKind(manifests, 'Ingress')) {
      const [rule] = spec.rules;
      expect(rule.host).toBe(values.host);
      expect(rule.http.paths[0].backend.service).toEqual({
        name: http.metadata.name,
        port: { name: 'http' },
      });
    }
    for (const { spec } of ofKind(manifests, 'ServiceMonitor')) {
      expect(labelsOf('Service').map((labels) => isPartOf(spec.selector.matchLabels, labels))).toEqual([
        false,
        true,
      ]);
      expect(metrics.metadata.labels[spec.jobLabel]).toBe('inlet');
      expect(metrics.spec.ports.map((port: Manifest) => port.name)).toContain(spec.endpoints[0].port);
    }
  });
});

it('is of this version', () => {
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
});

it('says what is missing', () => {
  expect(() => manifestsOf({ secrets })).toThrow('Set host to the name under which visitors reach Inlet.');
  expect(() => manifestsOf({ host: 'a.example' })).toThrow('Set existingSecret, or secrets.DATABASE_URL.');
});

it.each([
  ['a name that there is not', { replicas: 3 }],
  ['a number as a text', { api: { replicas: '3' } }],
  ['an address as a host', { host: 'https://forms.example.com' }],
  ['a setting that the chart makes', { settings: { OPS_PORT: '1' } }],
  ['a setting that is no text', { settings: { MAX_FILES: 3 } }],
])('refuses %s', (_, values) => {
  expect(isValid(valuesOf(values))).toBe(false);
});

it('takes its values as they are, for helm lint', () => {
  expect([isValid(defaults), isValid.errors]).toEqual([true, null]);
});

it('ends in a note with commands that there are', () => {
  const note = render(text('templates/NOTES.txt'), contextOf(cases.little, 'inlet'));
  expect(note).toContain('https://forms.example.com');
  const [, deployment, command = ''] = /exec deploy\/(\S+) -- inlet (.+)/.exec(note) ?? [];
  expect(ofKind(manifestsOf(cases.little, 'inlet'), 'Deployment').map((one) => one.metadata.name)).toContain(
    deployment,
  );
  expect(findCommand(commands, command.split(' ')).command.words).toEqual(['doctor']);
});
