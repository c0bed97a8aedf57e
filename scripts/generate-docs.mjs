/**
 * Writes the documents that can drift from the program: docs/configuration.md, docs/cli.md, docs/openapi.json, docs/api.md,
 * docs/errors.md, the results in docs/reliability.md, the samples in docs/webhooks.md, and docs/benchmarks.md with its charts, which must show the results that it names and no
 * others. With --check it writes nothing and fails if one of them is out of date.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageOf, resultsNamedBy } from '../bench/report/page.mjs';
import { commands } from '../dist/cli/commands.js';
import { openFoundation } from '../dist/compose/foundation.js';
import { startService } from '../dist/compose/service.js';
import { configurationMarkdown } from '../dist/config/describe.js';
import { loadConfig } from '../dist/config/load.js';
import { statusOfKind } from '../dist/http/problem.js';
import { createLogger } from '../dist/kernel/log.js';
import { errorCatalogue } from '../dist/model/error-catalogue.js';
import { apiMarkdown } from './api-markdown.mjs';
import { cliMarkdown } from './cli-markdown.mjs';
import { errorsMarkdown } from './errors-markdown.mjs';
import { faultTables, sabotageTables } from './faults/markdown.mjs';
import { readResults } from './faults/results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');

async function openApi() {
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-docs-'));
  const env = {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    BASE_URL: 'http://localhost:3000',
    LOG_LEVEL: 'silent',
  };
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const log = createLogger('silent');
  const onFatal = (error) => {
    throw error;
  };
  const foundation = await openFoundation(loaded.config, log, {
    exclusive: true,
    database: 'migrate',
    onFatal,
  });
  const service = await startService(loaded.config, log, foundation, {
    version,
    role: 'all',
    peerMetrics: null,
    onFirstAccount() {},
  });
  try {
    return await (await fetch(`http://127.0.0.1:${service.port}/openapi.json`)).json();
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Nothing as long as no run has been published. */
async function benchmarks() {
  const page = await readFile(join(root, 'docs/benchmarks.md'), 'utf8').catch(() => '');
  const file = resultsNamedBy(page);
  return file ? pageOf(JSON.parse(await readFile(join(root, file), 'utf8')), file) : {};
}

const betweenMarkers = (text, name, inner) => {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`There are no ${name} markers`);
  return `${text.slice(0, from + start.length)}\n\n${inner}\n\n${text.slice(to)}`;
};

/** The samples of docs/webhooks.md, which the dashboard shows too: the first block in each language is one. */
async function webhooks() {
  let page = await readFile(join(root, 'docs/webhooks.md'), 'utf8');
  const languages = { js: 'mjs', python: 'py', php: 'php', go: 'go', ruby: 'rb' };
  for (const [language, ending] of Object.entries(languages)) {
    const sample = await readFile(join(root, `web/src/verification/verify.${ending}`), 'utf8');
    const block = new RegExp(`\\n\`\`\`${language}\\n[\\s\\S]*?\\n\`\`\`\\n`);
    if (!block.test(page)) throw new Error(`docs/webhooks.md has no sample in ${language}`);
    page = page.replace(block, () => `\n\`\`\`${language}\n${sample}\`\`\`\n`);
  }
  return page;
}

const document = await openApi();
const reliability = await readFile(join(root, 'docs', 'reliability.md'), 'utf8');
const results = readResults(root);
const wanted = {
  'docs/configuration.md': configurationMarkdown(),
  'docs/cli.md': cliMarkdown(commands),
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/api.md': apiMarkdown(document),
  'docs/errors.md': errorsMarkdown(errorCatalogue, statusOfKind),
  'docs/reliability.md': betweenMarkers(
    betweenMarkers(reliability, 'faults', faultTables(results)),
    'sabotages',
    sabotageTables(results),
  ),
  'docs/webhooks.md': await webhooks(),
  ...(await benchmarks()),
};

let drifted = 0;
for (const [path, text] of Object.entries(wanted)) {
  const current = await readFile(join(root, path), 'utf8').catch(() => '');
  if (current === text) continue;
  drifted += 1;
  if (check) process.stderr.write(`${path} is out of date. Run: npm run docs\n`);
  else {
    await writeFile(join(root, path), text);
    process.stderr.write(`wrote ${path}\n`);
  }
}
process.exit(check && drifted > 0 ? 1 : 0);
