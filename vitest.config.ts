import { defineConfig } from 'vitest/config';

const limits = {
  // Real servers, real disks, two cores: a limit that only a hang can reach.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/**
 * Files run one after the other in the same few processes: a process for each took 0.6 s of processor time. They keep
 * nothing between them, and what a file of the black-box tests leaves behind fails it.
 */
const shared = { ...limits, isolate: false };
const blackBox = { ...shared, setupFiles: ['test/support/left-behind.ts'] };

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts', 'test/support/services/setup.ts'],
    // As many as there are cores: with a third, tests that watch deadlines ran out of processor time.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'units',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
        },
      },
      {
        test: {
          ...blackBox,
          name: 'embedded',
          include: ['test/**/*.test.ts'],
        },
      },
      {
        test: {
          ...blackBox,
          name: 'postgres',
          // Everything that talks HTTP, once more on PostgreSQL.
          include: ['test/http/**/*.test.ts'],
          env: { INLET_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
});
