import { defineConfig } from 'vitest/config';
import { nodeProgram, nodeVersions, planOf, type Tier } from './scripts/test-plan.mjs';

/** Set by scripts/test.mjs. The test runner alone takes every file. */
const tier = (process.env.INLET_TEST_TIER ?? 'all') as Tier;
const { projects } = planOf(tier);

const limits = {
  // Real servers, real disks, two cores: a limit that only a hang can reach.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

const environments: Record<string, Record<string, string>> = {
  postgres: { INLET_TEST_ENGINE: 'postgres' },
  ...Object.fromEntries(
    nodeVersions.map((version) => [
      `node${parseInt(version, 10)}`,
      { INLET_TEST_NODE: nodeProgram(version) },
    ]),
  ),
};

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  test: {
    globalSetup: [
      'test/support/build.ts',
      'test/support/temporary-folder.ts',
      'test/support/services/setup.ts',
    ],
    // More than two cores' worth: the tests wait for a third of their time, for syncs, leases and other processes.
    maxWorkers: 3,
    // A process for each file took 0.8 s of processor time; files keep nothing for each other.
    isolate: false,
    projects: Object.entries(projects)
      .filter(([, files]) => files.length > 0)
      .map(([name, include]) => ({
        extends: true as const,
        test: { ...limits, name, include, env: environments[name] ?? {} },
      })),
  },
});
