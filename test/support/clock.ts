/** A server whose clock can be set forward, so that no test waits a minute or a day for a window to end. */
import { setDatabaseForward } from './engine.js';
import { waitUntil } from './kept.js';
import { type RunningServer, type ServerOptions, startServer } from './server.js';

/** Runs in the server's process before the program: each signal adds `stepMs` to its clocks and reports it. */
const preload = (stepMs: number): string =>
  `data:text/javascript,${encodeURIComponent(
    `const now = Date.now; let ahead = 0; Date.now = () => now() + ahead;
     const passed = performance.now.bind(performance); performance.now = () => passed() + ahead;
     process.on('SIGUSR2', () => { ahead += ${stepMs}; process.stdout.write('clock set forward ' + ahead + ';'); });`,
  )}`;

export interface TimeServer extends RunningServer {
  /** Resolves when the server's clock has been set forward by one step. */
  step(): Promise<void>;
}

export async function startTimeServer(stepMs: number, options: ServerOptions = {}): Promise<TimeServer> {
  const server = await startServer({ ...options, nodeArguments: ['--import', preload(stepMs)] });
  let steps = 0;
  return {
    ...server,
    async step() {
      steps += 1;
      // The server reads the clock of a database that has one every few seconds. Both clocks are set while the server is stopped: if it saw
      // one of them set before the other, it would be a step too far ahead and plan what comes next too late.
      server.process.kill('SIGSTOP');
      try {
        await setDatabaseForward(server.dataDir, steps * stepMs);
        server.process.kill('SIGUSR2');
      } finally {
        server.process.kill('SIGCONT');
      }
      await waitUntil(() => server.output().includes(`clock set forward ${steps * stepMs};`));
    },
  };
}
