/** Builds dist/ once before any test: the black-box and contract tests run what ships. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url));
  const built = spawnSync(process.execPath, [script, '--if-needed'], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('The build failed');
}
