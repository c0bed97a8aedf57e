/**
 * Builds dist/ once before any test: the black-box and contract tests run what ships. The documentation site would double the time, and
 * only the slow tier opens it.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url));
  const isWithoutSite = /^(fast|node|postgres)/.test(process.env.INLET_TEST_TIER ?? '');
  const words = ['--if-needed', ...(isWithoutSite ? ['--without-site'] : [])];
  const built = spawnSync(process.execPath, [script, ...words], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('The build failed');
}
