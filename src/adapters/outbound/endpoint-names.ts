/**
 * The addresses behind the names of our own endpoints, for the address check. They are looked up only before a connection to
 * such a port and cached for a minute: sends to other ports never wait. A name that cannot be looked up keeps the addresses
 * that it had. If it never had any, every internal address at that port may be the endpoint and is blocked. Public addresses
 * are not, because an unavailable bucket must not stop webhooks to other places.
 */
import type { NameResolver } from './resolver.js';

/** The guarded endpoints, as far as they are needed here. */
export interface GuardedNames {
  namesAt(port: number): readonly string[];
  /** `addresses` is null when the name has never been resolved. */
  learn(host: string, addresses: readonly string[] | null): void;
}

const freshForMs = 60_000;
const retryAfterMs = 5_000;

interface Entry {
  isKnown: boolean;
  staleAt: number;
  asking: Promise<void> | null;
}

/** Resolves when the addresses behind this port are known or cannot be found. Returns undefined when no wait is needed. */
export type EndpointNames = (port: number) => Promise<unknown> | undefined;

export function createEndpointNames(guarded: GuardedNames, names: NameResolver): EndpointNames {
  const entries = new Map<string, Entry>();
  // Shared by all waiting sends: none of them may cancel it for the others. The resolver has its own timeout.
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
