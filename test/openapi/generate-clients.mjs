/**
 * Writes clients for an OpenAPI document into a folder: `generate-clients.mjs <document> <folder>`. Both generators drive the compiler
 * through an API that TypeScript 7 no longer has, so they get an older version.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { join } from 'node:path';

const resolve = `export const resolve = (name, context, next) =>
  next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolve)}`);

const [document, folder] = process.argv.slice(2);
const { default: openapiTS, astToString } = await import('openapi-typescript');
await writeFile(
  join(folder, 'api.ts'),
  astToString(await openapiTS(JSON.parse(await readFile(document, 'utf8')))),
);
const { createClient } = await import('@hey-api/openapi-ts');
await createClient({
  input: document,
  output: { path: join(folder, 'hey-api'), importFileExtension: '.js' },
  logs: { level: 'silent' },
});
