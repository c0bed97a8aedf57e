import { availableParallelism, constants, setPriority } from 'node:os';
import { defineConfig } from 'vitest/config';
import { nodeProgram, nodeProject, nodeVersions, planOf, type Tier } from './scripts/test-plan.mjs';
import { ProcessorTimes } from './test/support/processor-report.js';
import { LongestFirst, TimingsReporter } from './test/support/timings.js';

// Codecs run in the idle class of the kernel, and beside more tests than there are cores a small picture took
// longer than its limit of 15 s: the kernel weighs them 3 to 1,024. Beside processes of the lowest priority it is 3 to 15.
setPriority(constants.priority.PRIORITY_LOW);

/** Set by scripts/test.mjs. The test runner alone takes every file. */
const tier = (process.env.INLET_TEST_TIER ?? 'all') as Tier;
const { projects } = planOf(tier);

/** See test/support/chromium.ts: pages that run slower on purpose need more time. */
const slowdown = Number(process.env.BROWSER_SLOWDOWN ?? 1);

/** `INLET_TEST_CPU=1 npm test` lists what takes the most processor time. On Linux, because it reads /proc. */
const measuresProcessor = process.env.INLET_TEST_CPU === '1';

const limits = {
  // Real servers, real disks, two cores: a limit that only a hang can reach. On a busy machine a test took over 120 s.
  testTimeout: 300_000 * slowdown,
  hookTimeout: 300_000 * slowdown,
  // Below the limit of the test, so that it says what it was waiting for. The default is one second.
  expect: { poll: { timeout: 90_000 } },
};

const environments: Record<string, Record<string, string>> = {
  postgres: { INLET_TEST_ENGINE: 'postgres' },
  ...Object.fromEntries(
    nodeVersions.map((version) => [nodeProject(version), { INLET_TEST_NODE: nodeProgram(version) }]),
  ),
};

/**
 * One more than there are cores: tests wait for much of their time, for leases, timeouts and other processes. With two more the
 * slow tier was 2 minutes faster, and browser journeys ran into their limits. Images go last.
 */
const cores = availableParallelism();
const pace = (name: string) =>
  name === 'images'
    ? { maxWorkers: cores, sequence: { groupOrder: 1 } }
    : { maxWorkers: cores + 1, sequence: { groupOrder: 0 } };

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  test: {
    globalSetup: [
      'test/support/build.ts',
      'test/support/temporary-folder.ts',
      'test/support/services/setup.ts',
    ],
    // A process for each file took 0.8 s of processor time; files keep nothing for each other.
    isolate: false,
    // Of a file whose tests run at once: they do so because they wait.
    maxConcurrency: 12,
    sequence: { sequencer: LongestFirst },
    // Registered for each file, in its worker.
    setupFiles: measuresProcessor ? ['test/support/processor-time.ts'] : [],
    reporters: [
      'default',
      ...(process.env.INLET_TEST_TIMINGS ? [new TimingsReporter()] : []),
      ...(measuresProcessor ? [new ProcessorTimes()] : []),
    ],
    projects: Object.entries(projects)
      .filter(([, files]) => files.length > 0)
      .map(([name, include]) => ({
        extends: true as const,
        test: { ...limits, ...pace(name), name, include, env: environments[name] ?? {} },
      })),
  },
});
