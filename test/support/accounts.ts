/** More accounts, created as an operator does it: on the command line, next to the running server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { engineSettings } from './engine.js';
import { entry, node, plainEnvironment, type RunningServer } from './server.js';

export type Plan = 'starter' | 'pro' | 'business' | 'enterprise';

export interface MadeAccount {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly api_key: string;
}

const run = promisify(execFile);

export async function makeAccount(
  server: RunningServer,
  plan: Plan,
  name = 'Somebody',
): Promise<MadeAccount> {
  const { stdout } = await run(
    node,
    [entry, 'accounts', 'create', '--name', name, '--plan', plan, '--json'],
    {
      env: {
        ...plainEnvironment(),
        PORT: String(server.port),
        BASE_URL: server.url,
        DATA_DIR: server.dataDir,
        LOG_LEVEL: 'warn',
        ...(await engineSettings(server.dataDir)),
      },
    },
  );
  return JSON.parse(stdout) as MadeAccount;
}
