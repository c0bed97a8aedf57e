/**
 * Writes the documents that can drift from the program: settings.md, cli.md, errors.md, events.md, metrics.md, openapi.json and api/
 * in docs/reference, the results in docs/explanation/faults.md, the samples in docs/guides, the pages that the dashboard's palette
 * offers, and docs/explanation/benchmarks.md with its charts and the figures of docs/index.md, which must show the results that it
 * names and no others. With --check it writes nothing and fails if one of them is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { landingFigures } from '../bench/report/landing.mjs';
import { pageOf, resultsNamedBy } from '../bench/report/page.mjs';
import { commands } from '../dist/cli/commands.js';
import { configurationMarkdown } from '../dist/config/describe.js';
import { statusOfKind } from '../dist/http/problem.js';
import { errorCatalogue } from '../dist/model/error-catalogue.js';
import { cliMarkdown } from './cli-markdown.mjs';
import { errorsMarkdown } from './errors-markdown.mjs';
import { faultTables, sabotageTables } from './faults/markdown.mjs';
import { readResults } from './faults/results.mjs';
import { guidePages } from './guides-markdown.mjs';
import { paletteDocuments } from './palette-documents.mjs';
import { apiPages } from './reference/api-pages.mjs';
import { eventsMarkdown } from './reference/events-markdown.mjs';
import { startInstance } from './reference/instance.mjs';
import { metricsMarkdown } from './reference/metrics.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');

async function openApi() {
  const instance = await startInstance();
  try {
    return await (await fetch(`${instance.url}/openapi.json`)).json();
  } finally {
    await instance.stop();
  }
}

const betweenMarkers = (text, name, inner) => {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`There are no ${name} markers`);
  return `${text.slice(0, from + start.length)}\n\n${inner}\n\n${text.slice(to)}`;
};

/** Returns nothing until a run has been published. */
async function benchmarks() {
  const page = await readFile(join(root, 'docs/explanation/benchmarks.md'), 'utf8').catch(() => '');
  const file = resultsNamedBy(page);
  if (!file) return {};
  const published = JSON.parse(await readFile(join(root, file), 'utf8'));
  const landing = await readFile(join(root, 'docs/index.md'), 'utf8');
  return {
    ...pageOf(published, file),
    'docs/index.md': betweenMarkers(landing, 'figures', landingFigures(published).trimEnd()),
  };
}

/** The samples of docs/guides/webhooks.md, which the dashboard shows too: the block marked `verify` in each language. */
async function webhooks() {
  let page = await readFile(join(root, 'docs/guides/webhooks.md'), 'utf8');
  const languages = { js: 'mjs', python: 'py', php: 'php', go: 'go', ruby: 'rb' };
  for (const [language, ending] of Object.entries(languages)) {
    const sample = await readFile(join(root, `web/src/verification/verify.${ending}`), 'utf8');
    const block = new RegExp(`\\n\`\`\`${language} verify\\n[\\s\\S]*?\\n\`\`\`\\n`);
    if (!block.test(page)) throw new Error(`docs/guides/webhooks.md has no sample in ${language}`);
    page = page.replace(block, () => `\n\`\`\`${language} verify\n${sample}\`\`\`\n`);
  }
  return page;
}

const document = await openApi();
const examples = JSON.parse(await readFile(join(root, 'docs/reference/examples.json'), 'utf8'));
const faults = await readFile(join(root, 'docs', 'explanation', 'faults.md'), 'utf8');
const results = readResults(root);
const wanted = {
  'docs/reference/settings.md': configurationMarkdown(),
  'docs/reference/cli.md': cliMarkdown(commands),
  'docs/reference/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  ...apiPages({ document, examples, catalogue: errorCatalogue, statusOfKind }),
  'docs/reference/events.md': eventsMarkdown(examples),
  'docs/reference/metrics.md': metricsMarkdown(examples.metrics),
  'docs/reference/errors.md': errorsMarkdown(errorCatalogue, statusOfKind),
  'docs/explanation/faults.md': betweenMarkers(
    betweenMarkers(faults, 'faults', faultTables(results)),
    'sabotages',
    sabotageTables(results),
  ),
  'docs/guides/webhooks.md': await webhooks(),
  ...(await guidePages(root)),
  'web/src/words/documents.ts': paletteDocuments(),
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
