import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts', 'test/support/services/setup.ts'],
    // Real servers, real disks, two cores: a limit that only a hang can reach.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
