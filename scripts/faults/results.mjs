/** docs/explanation/durability.json: the last results, from which docs/explanation/faults.md is generated. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const pathIn = (root) => join(root, 'docs', 'explanation', 'durability.json');

export const readResults = (root) =>
  existsSync(pathIn(root))
    ? JSON.parse(readFileSync(pathIn(root), 'utf8'))
    : { measured: null, faults: {}, sabotages: {} };

/** Called after each result, so that an interrupted run keeps its results. */
export function updateResults(root, change) {
  const results = readResults(root);
  change(results);
  results.measured = {
    on: new Date().toISOString().slice(0, 10),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processors: availableParallelism(),
  };
  writeFileSync(pathIn(root), `${JSON.stringify(results, null, 2)}\n`);
}
