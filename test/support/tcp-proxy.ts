/** A network between a client and a server that can be slow, stall, be cut, or go dead silently. */
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** How many connections were ever accepted. */
  readonly accepted: number;
  /** Carries nothing, not even on new connections, until `resume`, which then also carries what has waited. */
  pause(): void;
  resume(): void;
  /** Current connections carry nothing anymore, and their ends are not reported. New ones work. */
  halfOpen(): void;
  /** Resets the current connections. */
  cut(): void;
  /** Adds this much delay in each direction. 0 adds none. */
  latency(ms: number): void;
  dispose(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isDead: boolean;
}

export async function startTcpProxy(target: { host?: string; port: number }): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let accepted = 0;
  let latencyMs = 0;
  let isPaused = false;
  let held: (() => void)[] = [];

  const carry = (pair: Pair, act: () => void): void => {
    const now = (): void => {
      if (pair.isDead) return;
      if (isPaused) held.push(now);
      else act();
    };
    if (latencyMs > 0) setTimeout(now, latencyMs);
    else now();
  };

  const join = (pair: Pair, from: Socket, to: Socket): void => {
    from.on('data', (chunk) => carry(pair, () => to.write(chunk)));
    from.on('end', () => carry(pair, () => to.end()));
    from.on('error', () => {});
    from.on('close', () =>
      carry(pair, () => {
        to.destroy();
        pairs.delete(pair);
      }),
    );
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted += 1;
    const onward = connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true });
    const pair: Pair = { client, server: onward, isDead: false };
    pairs.add(pair);
    join(pair, client, onward);
    join(pair, onward, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const reset = (): void => {
    for (const { client, server: onward } of pairs) {
      client.resetAndDestroy();
      onward.resetAndDestroy();
    }
    pairs.clear();
  };

  return {
    port: address.port,
    get accepted() {
      return accepted;
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      const waiting = held;
      held = [];
      for (const act of waiting) act();
    },
    halfOpen() {
      for (const pair of pairs) pair.isDead = true;
    },
    cut: reset,
    latency(ms) {
      latencyMs = ms;
    },
    async dispose() {
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
