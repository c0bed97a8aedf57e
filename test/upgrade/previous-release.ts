/** The program of the previous release, built from the history of this repository. A later one is installed from npm instead. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { previousRelease } from '../../scripts/test-plan.mjs';
import { until } from '../support/cli.js';
import { apiKey, freePort, plainEnvironment, temporaryFolder } from '../support/server.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'src', 'client', 'web'];

export interface PreviousRelease {
  start(env: Record<string, string>): Promise<PreviousServer>;
  dispose(): Promise<void>;
}

export interface PreviousServer {
  readonly url: string;
  /** Stops it and resolves with its exit code. */
  end(): Promise<number | null>;
}

export async function buildPreviousRelease(): Promise<PreviousRelease> {
  const folder = await temporaryFolder();
  const archive = execFileSync('git', ['archive', previousRelease, ...sources], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  // Uses our dependencies.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs', '--server-only'], { cwd: folder, stdio: 'ignore' });
  // What browsers load does not matter here, and takes the longest to build.
  for (const name of ['client', 'web']) {
    await cp(join(root, 'dist', name), join(folder, 'dist', name), { recursive: true });
  }
  const program = join(folder, 'dist', 'bundle', 'main.js');
  const children = new Set<ChildProcess>();
  const killAll = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  // A test run that dies must not leave servers behind.
  process.once('exit', killAll);

  return {
    async start(env) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const child = spawn(process.execPath, [program, 'serve'], {
        env: {
          ...plainEnvironment(),
          ...{
            HOST: '127.0.0.1',
            PORT: String(port),
            BASE_URL: url,
            INLET_API_KEY: apiKey,
            LOG_LEVEL: 'warn',
          },
          ...env,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const exited = once(child, 'exit');
      children.add(child);
      await until(
        () => fetch(`${url}/healthz`).catch(() => null),
        (answer) => {
          if (child.exitCode !== null) throw new Error(`The previous release ended with ${child.exitCode}`);
          return answer?.ok === true;
        },
      );
      return {
        url,
        async end() {
          child.kill('SIGTERM');
          const [code] = await exited;
          return code;
        },
      };
    },
    async dispose() {
      killAll();
      process.off('exit', killAll);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
