import { defineConfig } from 'vitest/config';

const limits = {
  // Real servers, real disks, two cores: a limit that only a hang can reach.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts', 'test/support/services/setup.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...limits,
          name: 'units',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          // They keep nothing between files, and a process for each took a second of processor time.
          isolate: false,
        },
      },
      {
        test: {
          ...limits,
          name: 'embedded',
          include: ['test/**/*.test.ts'],
        },
      },
      {
        test: {
          ...limits,
          name: 'postgres',
          // Everything that talks HTTP, once more on PostgreSQL, but for what has its say before or beside the database.
          include: ['test/http/**/*.test.ts'],
          exclude: [
            'test/http/files/bucket.test.ts',
            'test/http/files/transformation.test.ts',
            'test/http/headers.test.ts',
            'test/http/hostile/bodies.test.ts',
            'test/http/hostile/crowds.test.ts',
            'test/http/hostile/crowds-on-routes.test.ts',
            'test/http/hostile/largest-bodies.test.ts',
            'test/http/hostile/connections.test.ts',
            'test/http/hostile/requests.test.ts',
            'test/http/hostile/slow.test.ts',
          ],
          env: { INLET_TEST_ENGINE: 'postgres' },
        },
      },
    ],
  },
});
