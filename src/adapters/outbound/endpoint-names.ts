/**
 * The addresses behind the names of our own endpoints, for the judge. Looked up only when somebody is about to connect to
 * such a port, and kept for a minute: sends to the ports of everybody else wait for nothing. A name that cannot be looked up
 * keeps the addresses that it had. While it never had any, every inside address at that port may be it and is refused; public ones
 * are not, since a bucket that is unavailable must not stop webhooks to other places.
 */
import type { NameResolver } from './resolver.js';

/** The endpoints that are guarded, as far as this needs to know them. */
export interface GuardedNames {
  namesAt(port: number): readonly string[];
  /** Null: it was never found out. */
  learn(host: string, addresses: readonly string[] | null): void;
}

const freshForMs = 60_000;
const retryAfterMs = 5_000;

interface Entry {
  isKnown: boolean;
  staleAt: number;
  asking: Promise<void> | null;
}

/** Resolves when what is behind this port is known, or cannot be; undefined: there is nothing to wait for. */
export type EndpointNames = (port: number) => Promise<unknown> | undefined;

export function createEndpointNames(guarded: GuardedNames, names: NameResolver): EndpointNames {
  const entries = new Map<string, Entry>();
  // Shared by all who wait: none of them may end it for the others. The resolver has a time limit of its own.
  const { signal } = new AbortController();

  const ask = (host: string, entry: Entry): Promise<void> =>
    names
      .resolve(host, signal)
      .then((addresses) => {
        guarded.learn(host, addresses);
        entry.isKnown = true;
        entry.staleAt = performance.now() + freshForMs;
      })
      .catch(() => {
        if (!entry.isKnown) guarded.learn(host, null);
        entry.staleAt = performance.now() + retryAfterMs;
      })
      .finally(() => {
        entry.asking = null;
      });

  const entryOf = (host: string): Entry => {
    let entry = entries.get(host);
    if (entry === undefined) {
      entry = { isKnown: false, staleAt: 0, asking: null };
      entries.set(host, entry);
    }
    if (entry.asking === null && performance.now() >= entry.staleAt) entry.asking = ask(host, entry);
    return entry;
  };

  return (port) => {
    const unknown = guarded
      .namesAt(port)
      .map(entryOf)
      .filter(({ isKnown, asking }) => !isKnown && asking !== null);
    return unknown.length === 0 ? undefined : Promise.all(unknown.map(({ asking }) => asking));
  };
}
