import { spawnSync } from 'node:child_process';

/**
 * Whether this machine has what a test needs. Otherwise the test is skipped with a message. With CI=true that is a failure, because a test
 * that never runs proves nothing.
 */
export function needs(what: string, isThere: boolean): boolean {
  if (isThere) return true;
  if (process.env.CI === 'true') throw new Error(`This test needs ${what}`);
  process.stdout.write(`Not tested here, it needs ${what}.\n`);
  return false;
}

/** Whether a program is installed, by asking for its version. */
export const canRun = (command: string): boolean =>
  needs(
    command,
    ['--version', 'version'].some((word) => spawnSync(command, [word]).status === 0),
  );
