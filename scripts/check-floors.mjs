/**
 * Checks that imports under src/ keep to their floors (docs/explanation/architecture.md): they only point down, and no two
 * folders import each other. Run by `npm run floors`. Folders as arguments are checked instead of src/, client/ and web/, in
 * this order.
 *
 * Unit tests beside the sources may import anything; nothing may import them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Each room, and the rooms it may import from; main.ts is a room of its own. */
const below = ['kernel', 'contract'];
const rooms = {
  kernel: ['kernel'],
  contract: ['contract'],
  model: ['model', ...below],
  ports: ['ports', 'model', ...below],
  domain: ['domain', 'ports', 'model', ...below],
  http: ['http', 'domain', 'ports', 'model', ...below],
  worker: ['worker', 'domain', 'ports', 'model', ...below],
  adapters: ['adapters', 'ports', 'model', ...below],
  // A leaf: it knows the model, and only the top rooms know it.
  config: ['config', 'model', 'kernel'],
  compose: ['compose', 'adapters', 'config', 'http', 'worker', 'domain', 'ports', 'model', ...below],
  // Moves whole instances between places, and for that the tables, folders and archives of adapters.
  transfer: ['transfer', 'compose', 'adapters', 'config', 'domain', 'ports', 'model', ...below],
  cli: ['cli', 'transfer', 'compose', 'config', 'domain', 'ports', 'model', ...below],
  main: ['cli', 'compose', 'config', ...below],
};

/** Rules and nouns may not use a framework, SQL, the disk or the network. */
const outsideWorld =
  /^(fastify|@fastify\/.*|kysely|undici|pg|ioredis|@photostructure\/sqlite|@aws-sdk\/.*|node:(fs|http|https|http2|net|tls|dgram|child_process|worker_threads|sqlite)(\/.*)?)$/;
const pure = new Set(['model', 'ports', 'domain']);
const mayReadEnvironment = new Set(['main', 'cli', 'config']);

const roomOf = (file) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, ''));

/** Blanks out comments and template literals, because they may only mention imports. */
const codeOnly = (text) =>
  text.replace(
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (found) => (/^['"]/.test(found) ? found : found.replace(/[^\n]/g, ' ')),
  );

const statement = /(?:^|[;}\n])\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/g;
const dynamic = /\bimport\s*\(\s*['"]([^'"]+)['"]/g;
const threadEntry = /new URL\(\s*['"](\.[^'"]+\.js)['"]\s*,\s*import\.meta\.url/g;

function importsOf(code) {
  return [statement, dynamic, threadEntry].flatMap((shape) =>
    Array.from(code.matchAll(shape), (match) => ({
      specifier: match[1],
      end: match.index + match[0].length,
      line: code.slice(0, match.index + match[0].length).split('\n').length,
    })),
  );
}

function refusalOf(file, specifier) {
  const room = roomOf(file);
  if (specifier.startsWith('#')) return `imports ${specifier}: that is the built program, not its source`;
  if (!specifier.startsWith('.')) {
    if (room === 'contract' && !/^typebox(\/|$)/.test(specifier))
      return `contract/ imports ${specifier}, not only typebox`;
    if (pure.has(room) && outsideWorld.test(specifier))
      return `${room}/ imports ${specifier}, a part of the outside world`;
    if (specifier === 'node:process') return 'imports node:process: the environment is read by config/ alone';
    return null;
  }
  const target = posix.join(posix.dirname(file), specifier);
  if (target.startsWith('..')) return `imports ${specifier}, which lies outside the sources`;
  if (/\.test\.js$/.test(target)) return `imports the test ${specifier}`;
  const other = roomOf(target.replace(/\.js$/, '.ts'));
  if (!rooms[room].includes(other)) return `${room} imports ${other} (${specifier})`;
  return null;
}

/** The cycles of a graph, each once, as the path from a node back to itself. */
function cyclesIn(graph) {
  const found = [];
  const state = new Map();
  const visit = (file, way) => {
    state.set(file, 'open');
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === 'open') found.push([...way.slice(way.indexOf(next)), next]);
      else if (!state.has(next) && graph.has(next)) visit(next, [...way, next]);
    }
    state.set(file, 'done');
  };
  for (const file of graph.keys()) if (!state.has(file)) visit(file, [file]);
  return found;
}

/**
 * The two sibling folders of a room that an import leads from and to. Null when one file's folder contains the other's: a
 * folder and what is in it are one idea.
 */
function foldersBetween(file, target) {
  const [from, to] = [file, target].map((path) => path.split('/').slice(0, -1));
  const at = from.findIndex((name, index) => name !== to[index]);
  if (at < 1 || to.length <= at) return null;
  return [from, to].map((names) => names.slice(0, at + 1).join('/'));
}

/** Folders that import each other, with a file for each step of the cycle. */
function folderCyclesIn(graph) {
  const folders = new Map();
  for (const [file, targets] of graph) {
    for (const [from, to] of targets.map((target) => foldersBetween(file, target)).filter(Boolean)) {
      if (!folders.has(from)) folders.set(from, new Map());
      if (!folders.get(from).has(to)) folders.get(from).set(to, file);
    }
  }
  const targets = new Map(Array.from(folders, ([from, others]) => [from, [...others.keys()]]));
  return cyclesIn(targets).map((way) => ({
    way,
    files: way.slice(1).map((to, index) => folders.get(way[index]).get(to)),
  }));
}

function checkFloors(root) {
  const faults = [];
  const graph = new Map();
  const files = readdirSync(root, { recursive: true })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort();
  for (const file of files) {
    const room = roomOf(file);
    if (!(room in rooms)) {
      faults.push(`${file}: ${room} is no room of the house`);
      continue;
    }
    const code = codeOnly(readFileSync(join(root, file), 'utf8'));
    const imports = importsOf(code);
    for (const { specifier, line } of imports) {
      const refusal = refusalOf(file, specifier);
      if (refusal !== null) faults.push(`${file}:${line}: ${refusal}`);
    }
    if (/\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[/.test(code) && !mayReadEnvironment.has(room)) {
      faults.push(`${file}: reads process.env; only main, cli/ and config/ may`);
    }
    if (pure.has(room) && /(?<![.\w])fetch\s*\(/.test(callsOnly(code))) {
      faults.push(`${file}: calls fetch; ${room}/ reaches the network through a port`);
    }
    const optional = room === 'ports' && /^\s*(?:readonly )?(\w+)\?(?:[(<]|: \()/m.exec(code);
    if (optional)
      faults.push(`${file}: ${optional[1]} is an optional method; every adapter has all of a port`);
    graph.set(
      file,
      imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts')),
    );
  }
  for (const way of cyclesIn(graph)) faults.push(`${way[0]}: import cycle ${way.join(' -> ')}`);
  for (const { way, files: by } of folderCyclesIn(graph)) {
    faults.push(`${way[0]}: folders import each other: ${way.join(' -> ')} (${by.join(', ')})`);
  }
  return { files: files.length, faults };
}

/** Removes strings, which may contain code that runs elsewhere, and method signatures. */
const callsOnly = (code) =>
  code
    .replace(/`(?:\\.|[^`\\])*`/g, (text) => (text.match(/\$\{[^}]*\}/g) ?? []).join(';'))
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
    .replace(/\bfetch\s*\([^)]*\)\s*[:{]/g, '');

/** The packages that the browser scripts may import. */
const clientPackages = /^@noble\/hashes\//;

/** The browser scripts stand alone: they import nothing from the service, no other package and nothing from Node. */
function checkClient(root) {
  return readdirSync(root, { recursive: true })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .flatMap((file) =>
      importsOf(codeOnly(readFileSync(join(root, file), 'utf8')))
        .filter(
          ({ specifier }) =>
            !clientPackages.test(specifier) &&
            (!specifier.startsWith('.') || posix.join(posix.dirname(file), specifier).startsWith('..')),
        )
        .map(({ specifier, line }) => `${file}:${line}: the browser script imports ${specifier}`),
    );
}

/** The packages that the dashboard may import. */
const webPackages =
  /^(react|react-dom|wouter|@tanstack\/react-query|@tabler\/icons-react|uqr|@simplewebauthn\/browser|@mantine\/(core|hooks|form|modals|notifications|charts))(\/|$)/;
const typeOnly = /(?:^|[;}\n])\s*(?:import|export)\s+type\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/g;

/** From the service, the dashboard imports only types of the contract, which are erased, and the table of permissions. */
function checkWeb(root) {
  const house = dirname(resolve(root));
  return readdirSync(root, { recursive: true })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.startsWith('src/') && /(?<!\.test)\.tsx?$/.test(name))
    .sort()
    .flatMap((file) => {
      const code = codeOnly(readFileSync(join(root, file), 'utf8'));
      const starts = new Set(Array.from(code.matchAll(typeOnly), (match) => match.index + match[0].length));
      return importsOf(code)
        .filter(({ specifier, end }) => {
          if (!specifier.startsWith('.'))
            return !webPackages.test(specifier) && !(specifier === 'typebox' && starts.has(end));
          const target = relative(house, resolve(root, dirname(file), specifier))
            .split(sep)
            .join('/');
          const isKnown =
            target === 'src/model/permission.js' || (target.startsWith('src/contract/') && starts.has(end));
          return !target.startsWith('web/src/') && !isKnown;
        })
        .map(({ specifier, line }) => `${file}:${line}: the dashboard imports ${specifier}`);
    });
}

const withPlace = (root, faults) => faults.map((fault) => `${relative(process.cwd(), root) || '.'}/${fault}`);

/** The number of source files, and the faults in them and, where a folder is given, in the browser scripts and the dashboard. */
export function checkHouse(root, clientRoot = null, webRoot = null) {
  const { files, faults } = checkFloors(root);
  return {
    files,
    faults: [
      ...withPlace(root, faults),
      ...(clientRoot === null ? [] : withPlace(clientRoot, checkClient(clientRoot))),
      ...(webRoot === null ? [] : withPlace(webRoot, checkWeb(webRoot))),
      ...(files === 0 ? [`${root} has no sources`] : []),
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const home = dirname(dirname(fileURLToPath(import.meta.url)));
  const named = process.argv.slice(2).map((folder) => resolve(folder));
  const roots = named.length > 0 ? named : ['src', 'client', 'web'].map((name) => join(home, name));
  const { files, faults } = checkHouse(...roots);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exit(1);
  process.stdout.write(`${files} files keep to their floors\n`);
}
