/** What a start prints: the address, where the data is, and on the first start how to begin. */
import { isIP } from 'node:net';
import type { Role } from '../../model/process.js';
import { alignedRows } from '../terminal.js';

export interface Started {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Without credentials; null when it is in the data folder. */
  readonly database: string | null;
  readonly files: string | null;
  readonly version: string;
  readonly role: Role;
  /** How many processes serve this address. */
  readonly processes: number;
  /** null when there were accounts already. `apiKey` is null when the operator chose it. */
  readonly firstAccount: { readonly apiKey: string | null } | null;
  /** null when there is a user who can sign in. */
  readonly setupToken: string | null;
}

/** Reports how the start went. */
export interface StartReport {
  /** All processes are up. */
  started(started: Started): void;
  /** The account is stored although the start failed afterwards: the next start will not show its key. */
  keyOfFailedStart(apiKey: string): void;
}

/** What follows the # is not sent to a server, so the token stays out of every log on the way. */
export const setupUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}/dashboard/setup#token=${token}`;

/** A local address that reaches the listener, even when it listens on all interfaces. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return isIP(host) === 6 ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}

/** A generated key consists of letters and digits; one that the operator chose is taken from the environment. */
const firstCall = ({ host, port }: Started, apiKey: string | null): string =>
  `curl ${localUrl(host, port)}/api/v1/projects -H "Authorization: Bearer ${apiKey ?? '$INLET_API_KEY'}" ` +
  `-H "Content-Type: application/json" -d '{"name":"My website"}'`;

export function welcomeLines(started: Started): string[] {
  const { host, port, baseUrl, dataDir, database, files, version, role } = started;
  const { processes, firstAccount, setupToken } = started;
  const address = localUrl(host, port);
  const where = address === baseUrl ? address : `${baseUrl} (listening on ${address})`;
  const rows = [
    // First, because it is the next step after the first start.
    ...(setupToken === null ? [] : [['Set up', `${setupUrl(baseUrl, setupToken)} (works once)`]]),
    role === 'worker' ? ['Health', `${address}/healthz`] : ['Address', where],
    ...(firstAccount ? [['Docs', `${baseUrl}/docs`]] : []),
    ...(firstAccount?.apiKey ? [['API key', `${firstAccount.apiKey} (shown only now)`]] : []),
    ...(processes > 1 ? [['Processes', String(processes)]] : []),
    ...(database === null ? [] : [['Database', database]]),
    ...(files === null ? [] : [['Files', files]]),
    ['Data', dataDir],
  ];
  return [
    `Inlet ${version} is running${role === 'all' ? '' : ` as ${role}`}.`,
    ...alignedRows(rows).map((line) => `  ${line}`),
    ...(firstAccount
      ? ['', 'Create your first project with the API:', `  ${firstCall(started, firstAccount.apiKey)}`]
      : []),
  ];
}

export const welcomeJson = (started: Started) => ({
  address: localUrl(started.host, started.port),
  base_url: started.baseUrl,
  docs_url: `${started.baseUrl}/docs`,
  data_dir: started.dataDir,
  ...(started.database === null ? {} : { database: started.database }),
  ...(started.files === null ? {} : { files: started.files }),
  version: started.version,
  ...(started.role === 'all' ? {} : { role: started.role }),
  ...(started.processes > 1 ? { processes: started.processes } : {}),
  ...(started.firstAccount?.apiKey ? { api_key: started.firstAccount.apiKey } : {}),
  ...(started.setupToken === null ? {} : { setup_url: setupUrl(started.baseUrl, started.setupToken) }),
});
