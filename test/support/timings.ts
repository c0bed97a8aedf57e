/**
 * How long each file took when it was last recorded (`INLET_TEST_TIMINGS=write npm test`). The longest start first, or one of them would
 * keep a single worker busy at the end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

const path = fileURLToPath(new URL('../timings.json', import.meta.url));
/** Shorter files do not matter for the order. */
const leastSeconds = 5;

const read = (): Record<string, number> => JSON.parse(readFileSync(path, 'utf8'));

const nameOf = (project: string, file: string): string =>
  `${project} ${file.replace(/^.*?\/(?=(test|src|web)\/)/, '')}`;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = read();
    // A worker continues with files of its own project. For another project it has to restart.
    const projects = [...new Set(files.map(({ project }) => project.name))];
    const order = ({ project }: TestSpecification): number => projects.indexOf(project.name);
    const duration = ({ project, moduleId }: TestSpecification): number =>
      seconds[nameOf(project.name, moduleId)] ?? 0;
    return files.toSorted((a, b) => order(a) - order(b) || duration(b) - duration(a));
  }
}

export class TimingsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = read();
    for (const module of modules) {
      const name = nameOf(module.project.name, module.moduleId);
      delete seconds[name];
      const took = Math.round(module.diagnostic().duration / 1000);
      if (took >= leastSeconds) seconds[name] = took;
    }
    const sorted = Object.entries(seconds).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
}
