/**
 * Which tests belong to which tier, and which programs a test file drives. `npm test` runs the fast tier, `npm run test:slow`
 * everything else. Used by scripts/test.mjs and vitest.config.ts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Kills, faults, several processes, long journeys, tests that take long for one promise, and the project's own tools. A folder
 * stands for all files in it.
 */
const slow = [
  'test/bench',
  'test/browser',
  'test/cli/backup',
  'test/cli/backup-shelf',
  'test/cli/beside',
  'test/cli/binding',
  'test/cli/copy',
  'test/cli/demo',
  'test/cli/doctor',
  'test/cli/doctor-mail',
  'test/cli/import',
  'test/cli/restore',
  'test/cli/usage',
  'test/cluster',
  'test/contracts/blobs-s3-faults',
  'test/contracts/counters-redis-faults',
  'test/contracts/destination-google-sheets',
  'test/contracts/imaging-isolation',
  'test/contracts/imaging-sharp',
  'test/contracts/imaging-sharp-faults',
  'test/contracts/signals-postgres',
  'test/contracts/signals-redis',
  'test/contracts/store/sqlite-indexing',
  'test/crash',
  'test/deploy',
  'test/docs/questions',
  'test/docs/receivers',
  'test/docs/samples',
  'test/docs/samples-browser',
  'test/docs/site',
  'test/docs/site-crawl',
  'test/docs/webhooks',
  'test/faults',
  'test/floors',
  'test/fuzz',
  'test/http/destinations/digests',
  'test/http/event-loop',
  'test/http/files/bucket',
  'test/http/files/transformation',
  'test/http/files/transformation-faults',
  'test/http/hostile',
  'test/http/mail',
  'test/http/management/form-move',
  'test/http/management/inbox-sending',
  'test/http/persons/bucket',
  'test/http/session/throttle',
  'test/http/submit/captcha',
  'test/http/visitor-mail-faults',
  'test/http/webhooks/inside-addresses',
  'test/http/webhooks/isolation',
  'test/http/webhooks/outcomes',
  'test/http/webhooks/replay',
  'test/http/webhooks/schedule',
  'test/http/webhooks/stop',
  'test/openapi/clients',
  'test/package',
  'test/sabotage',
  'test/simulation',
  'test/supply-chain',
  'test/upgrade',
];

/** Fast, although in slow folders: each page of the dashboard and of a form is opened and used once. */
const fast = [
  'test/browser/dashboard/every-page',
  'test/browser/dashboard/first-run',
  'test/browser/form',
  'test/http/hostile/identities',
];

/**
 * Tests that also run on PostgreSQL: those that read and write rows or rely on a transaction. The database has its own contract
 * (test/contracts/store), which runs on both. `fast` has those that a changed query breaks first, `slow` those that depend on how
 * the engine counts, erases and upgrades. `others` run with `npm run test:postgres`, in a separate CI job.
 */
const onPostgres = {
  fast: [
    'test/http/files/access',
    'test/http/management/deletion',
    'test/http/management/export',
    'test/http/management/field-filters',
    'test/http/management/import',
    'test/http/management/inbox',
    'test/http/management/search',
    'test/http/management/submissions',
    'test/http/session/sign-in',
    'test/http/submit/closing',
    'test/http/submit/data',
    'test/http/submit/idempotency',
    'test/http/webhooks/manual-retry',
  ],
  slow: [
    'test/crash/digest',
    'test/http/management/delivery-counts',
    'test/http/management/numbers',
    'test/http/persons/erasure',
    'test/http/persons/redaction',
    'test/http/webhooks/replay',
    'test/upgrade/in-flight',
  ],
  others: [
    'test/http/destinations/digests',
    'test/http/files/deletion',
    'test/http/files/metadata',
    'test/http/hostile/identities',
    'test/http/mail',
    'test/http/mail-drafts',
    'test/http/management/aliases',
    'test/http/management/api-keys',
    'test/http/management/audit',
    'test/http/management/deliveries',
    'test/http/management/destinations',
    'test/http/management/events',
    'test/http/management/fields',
    'test/http/management/form-life',
    'test/http/management/form-move',
    'test/http/management/forms',
    'test/http/management/inbox-organising',
    'test/http/management/inbox-sending',
    'test/http/management/logs',
    'test/http/management/neighbours',
    'test/http/management/outsiders',
    'test/http/management/plans',
    'test/http/management/projects',
    'test/http/management/quarantine',
    'test/http/management/restart',
    'test/http/management/rule-check',
    'test/http/ops',
    'test/http/opt-in/opt-in',
    'test/http/opt-in/waiting',
    'test/http/persons/export',
    'test/http/replies',
    'test/http/session/access',
    'test/http/session/email-change',
    'test/http/session/invitations',
    'test/http/session/reset',
    'test/http/session/second-factor',
    'test/http/session/setup',
    'test/http/submit/hostile-rules',
    'test/http/submit/plan-and-spam',
    'test/http/submit/rejections',
    'test/http/webhooks/as-sent',
    'test/http/webhooks/confirmation',
    'test/http/webhooks/isolation',
    'test/http/webhooks/outcomes',
    'test/http/webhooks/retry-many',
    'test/http/webhooks/schedule',
    'test/http/webhooks/settings-changed',
    'test/http/webhooks/stop',
  ],
};

const allOnPostgres = Object.values(onPostgres).flat();

/**
 * What the slow tier runs again on each version of Node: files that reach what differs between versions. That is HTTP parsing
 * and streams, URLs, text encodings, cryptography, dates, native modules, and how a process stops. All other files concern our
 * own code on top of these; they run on each version with `npm run test:node`, in separate CI jobs.
 */
const onEachNode = [
  'test/http/files/content',
  'test/http/management/export',
  'test/http/management/restart',
  'test/http/management/search',
  'test/http/ops',
  'test/http/session/sign-in',
  'test/http/submit/cors',
  'test/http/submit/data',
  'test/http/submit/formats',
  'test/http/webhooks/request',
];

/** Codecs run at low priority: beside a full load of other tests they would wait for minutes. */
const images = [
  'test/contracts/imaging-sharp',
  'test/contracts/imaging-sharp-faults',
  'test/http/files/transformation',
  'test/http/files/transformation-faults',
];

/** The supported versions of Node besides the oldest, on which all other tests run. */
export const nodeVersions = ['22.23.3', '24.21.0', '26.10.0'];

/** The name of the project and the tier for tests on a version of Node, such as node22. */
export const nodeProject = (version) => `node${parseInt(version, 10)}`;

/** Where scripts/test.mjs installs a version of Node: a package that contains its program. */
export const nodeFolder = (version) => join(root, 'node_modules', '.cache', 'node', version);
export const nodePackage = `node-${process.platform}-${process.arch}`;
export const nodeProgram = (version) => join(nodeFolder(version), 'node_modules', nodePackage, 'bin', 'node');

const isIn = (list) => (file) =>
  list.some((name) => file === `${name}.test.ts` || file.startsWith(`${name}/`));
const isFast = (file) => isIn(fast)(file) || !isIn(slow)(file);

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.test.ts'))
    .sort();
}

const onPath = (name) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) =>
    existsSync(join(folder, name)),
  );

/** Debian does not put the server's programs on the path. */
function hasPostgres() {
  const versions = '/usr/lib/postgresql';
  return (
    existsSync(versions) &&
    readdirSync(versions).some((version) => existsSync(join(versions, version, 'bin', 'initdb')))
  );
}

/** The commit of the previous release, from which its program is built. */
export const previousRelease = '891626fc0a8c39d17a9a903c893f7c4c51f67736';

function hasHistory() {
  const words = ['cat-file', '-e', `${previousRelease}^{commit}`];
  return spawnSync('git', words, { cwd: root, stdio: 'ignore' }).status === 0;
}

/** Browsers with windows. */
const wholeBrowsers = ['chromium', 'chromium-browser', 'google-chrome'];

/** What the tests drive: its Debian packages, and the support file or word that shows that a test needs it (`sign`). */
const tools = [
  {
    name: 'Chromium',
    packages: ['chromium-headless-shell'],
    isThere: () => ['chromium-headless-shell', ...wholeBrowsers].some(onPath),
    sign: /support\/chromium\.ts/,
  },
  {
    name: 'Chromium with its PDF viewer',
    packages: ['chromium'],
    isThere: () => wholeBrowsers.some(onPath),
    sign: /await .*wholeBrowser\(\)/,
  },
  {
    name: 'PostgreSQL',
    packages: ['postgresql'],
    isThere: hasPostgres,
    sign: /services\/postgres\.ts|\.databaseUrl/,
  },
  {
    name: 'Redis',
    packages: ['redis-server'],
    isThere: () => ['redis-server', 'valkey-server'].some(onPath),
    sign: /services\/redis\.ts|\.redisUrl/,
  },
  {
    // An S3 server that checks signatures.
    name: 'the Ceph gateway',
    packages: ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'],
    isThere: () => ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph'].every(onPath),
    sign: /services\/object-store\.ts/,
  },
  {
    name: 'PgBouncer',
    packages: ['pgbouncer'],
    isThere: () => onPath('pgbouncer'),
    sign: /services\/pgbouncer\.ts/,
  },
  {
    name: 'nginx, Caddy and HAProxy',
    packages: ['nginx', 'caddy', 'haproxy'],
    isThere: () => ['nginx', 'caddy', 'haproxy'].every(onPath),
    sign: /services\/proxies\.ts/,
  },
  { name: 'strace', packages: ['strace'], isThere: () => onPath('strace'), sign: /sync-trace\.ts/ },
  // Snippets and samples for endpoints are run in these.
  { name: 'Python', packages: ['python3'], isThere: () => onPath('python3'), sign: /'python3'/ },
  { name: 'PHP', packages: ['php-cli'], isThere: () => onPath('php'), sign: /command: 'php'/ },
  { name: 'Ruby', packages: ['ruby'], isThere: () => onPath('ruby'), sign: /command: 'ruby'/ },
  { name: 'Go', packages: ['golang-go'], isThere: () => onPath('go'), sign: /command: 'go'/ },
  {
    // A source archive has no history, and no package provides one, so a missing history is not a failure.
    name: 'the history of the repository',
    packages: [],
    isThere: hasHistory,
    sign: /previous-release\.ts/,
  },
];

/** Not searched: every server in a test imports it, and what it needs depends on the engine of the project. */
const engine = 'test/support/engine.ts';

/** The paths and texts of a test file and of everything it imports from test/. */
function textOf(file, seen = new Set()) {
  const path = relative(root, file);
  if (seen.has(path) || path === engine || !existsSync(file)) return '';
  seen.add(path);
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, name]) =>
    textOf(resolve(dirname(file), `${name}.ts`), seen),
  );
  return [path, text, ...imports].join('\n');
}

const toolsOf = (file) => {
  const text = textOf(join(root, file));
  return tools.filter(({ sign }) => sign.test(text));
};

/**
 * The files of each project in a tier ('fast', 'slow', 'all', 'postgres', or 'node22': the HTTP tests on a version of Node),
 * without those that need a missing tool; and for each missing tool, the files that do not run.
 */
export function planOf(tier) {
  if (tier.startsWith('node')) return withToolsOf({ [tier]: filesBelow('test/http').filter(isFast) });
  if (tier === 'postgres') return withToolsOf({ postgres: filesBelow('test').filter(isIn(allOnPostgres)) });
  return withToolsOf(projectsOf(tier));
}

function projectsOf(tier) {
  const isOf = { fast: isFast, slow: (file) => !isFast(file), all: () => true }[tier];
  const onEngine = { ...onPostgres, all: allOnPostgres }[tier];
  const all = filesBelow('test');
  const http = filesBelow('test/http');
  for (const name of [...slow, ...fast, ...allOnPostgres, ...onEachNode, ...images]) {
    if (!all.some(isIn([name])))
      throw new Error(`scripts/test-plan.mjs names ${name}, and there is no such test`);
  }
  const projects = {
    units: tier === 'slow' ? [] : [...filesBelow('src'), ...filesBelow('web/src')],
    embedded: all.filter(isOf),
    postgres: all.filter(isIn(onEngine)),
  };
  if (tier === 'slow') {
    projects.images = projects.embedded.filter(isIn(images));
    projects.embedded = projects.embedded.filter((file) => !isIn(images)(file));
  }
  if (tier !== 'fast') {
    const onNode = http.filter(isIn(onEachNode));
    for (const version of nodeVersions) projects[nodeProject(version)] = onNode;
  }
  return projects;
}

function withToolsOf(projects) {
  const postgresql = tools.filter(({ name }) => name === 'PostgreSQL');
  const needs = (name, file) =>
    name === 'postgres' ? [...postgresql, ...toolsOf(file)] : name === 'units' ? [] : toolsOf(file);
  const used = new Set();
  const kept = new Map();
  for (const [name, files] of Object.entries(projects)) {
    projects[name] = files.filter((file) => {
      const needed = needs(name, file);
      for (const tool of needed) used.add(tool);
      const missing = needed.filter((tool) => !tool.isThere());
      for (const tool of missing) kept.set(tool, [...(kept.get(tool) ?? []), `${name}: ${file}`]);
      return missing.length === 0;
    });
  }
  return { projects, tools: [...used], missing: kept };
}
