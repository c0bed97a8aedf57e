/** Several servers on one database, as on several machines: each has its own port, and they share the database and the data folder. */
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { type RunningServer, type ServerOptions, startServer, temporaryFolder } from '../support/server.js';
import { newDatabase } from '../support/services/postgres.js';

export interface Cluster {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Starts another server. It is stopped with the cluster at the latest. */
  start(options?: Pick<ServerOptions, 'words' | 'env' | 'port'>): Promise<RunningServer>;
  dispose(): Promise<void>;
}

export async function newCluster(env: Record<string, string> = {}): Promise<Cluster> {
  const database = await newDatabase(inject('services').databaseUrl);
  const dataDir = await temporaryFolder();
  const servers: RunningServer[] = [];
  return {
    databaseUrl: database.url,
    dataDir,
    async start(options = {}) {
      const server = await startServer({
        ...options,
        dataDir,
        env: {
          DATABASE_URL: database.url,
          DATABASE_POOL_SIZE: '4',
          API_RATE_LIMIT_PER_MINUTE: '10000000',
          ...env,
          ...options.env,
        },
      });
      servers.push(server);
      return server;
    },
    async dispose() {
      for (const server of servers) {
        // Resumes a process that the test has stopped.
        server.process.kill('SIGCONT');
        await server.end('SIGKILL');
      }
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Retries until `isRight` passes. Fails with its last error. */
export async function eventually(isRight: () => Promise<void> | void, withinMs: number): Promise<void> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    try {
      await isRight();
      return;
    } catch (error) {
      if (performance.now() > endsAt) throw error;
      await pause(100);
    }
  }
}
