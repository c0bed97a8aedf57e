/** A network of our own between a client and a server: it can be slow, stand still, be cut, or go dead without a word. */
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** How many connections were ever taken. */
  readonly accepted: number;
  /** Carries nothing, also of new connections, until `resume`; then what was held back too. */
  pause(): void;
  resume(): void;
  /** The connections of now carry nothing any more and nobody tells their ends; new ones work. */
  halfOpen(): void;
  /** Resets the connections of now. */
  cut(): void;
  /** Each way takes this much longer; 0: as fast as it goes. */
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
