/**
 * Resolves a host name to all of its addresses. Invariants: nothing here takes longer than its timeout, and `dns.lookup`,
 * which occupies one of the four threads shared with file I/O, runs at most twice at once per process.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { canonicalIp } from '../../kernel/addresses.js';
import { Slots } from '../../kernel/concurrency.js';
import { bounded } from './bounded.js';
import { codeOf, SendFault } from './faults.js';
import type { OutboundLimits } from './limits.js';

const lookups = new Slots(2, 2, { max: 1_000, maxPerKey: 1_000 });

/** The resolver does not know the name, or no name server is listening: the name may still be in the hosts file. */
const mayBeLocal = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

export interface NameResolver {
  /** Resolves with all addresses in canonical form, at least one. Rejects with a dns_error or the signal's reason. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
}

export function createNameResolver(limits: OutboundLimits, servers?: readonly string[]): NameResolver {
  return {
    async resolve(host, signal) {
      // One per lookup (0.04 ms): it can be cancelled alone, and changes to resolv.conf take effect.
      const resolver = new Resolver({ timeout: Math.ceil(limits.dnsMs / 2), tries: 2 });
      if (servers !== undefined) resolver.setServers(servers);
      try {
        const late = () => new SendFault('dns_error', `No name server gave the addresses of ${host} in time`);
        return await bounded(addressesOf(resolver, host, limits), limits.dnsMs, signal, late);
      } finally {
        resolver.cancel();
      }
    },
  };
}

async function addressesOf(
  resolver: Resolver,
  host: string,
  limits: OutboundLimits,
): Promise<readonly string[]> {
  const answers = await bothFamilies(resolver, host, limits.otherFamilyMs);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? canonical(answer.value) : []));
  if (found.length > 0) return found;
  const errors: unknown[] = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason] : [],
  );
  const serious = errors.find((error) => !mayBeLocal.has(codeOf(error) ?? ''));
  if (serious !== undefined) throw nameFault(host, serious);
  return lookedUp(host, limits.dnsMs);
}

/** Resolves when both families are done, or `otherFamilyMs` after one of them has succeeded. */
async function bothFamilies(
  resolver: Resolver,
  host: string,
  otherFamilyMs: number,
): Promise<PromiseSettledResult<string[]>[]> {
  const families = [resolver.resolve4(host), resolver.resolve6(host)];
  let timer: NodeJS.Timeout | undefined;
  Promise.any(families).then(
    () => {
      timer = setTimeout(() => resolver.cancel(), otherFamilyMs);
    },
    () => {},
  );
  const answers = await Promise.allSettled(families);
  clearTimeout(timer);
  return answers;
}

/** For names in the hosts file, and names that need the search list of the machine. */
async function lookedUp(host: string, waitMs: number): Promise<readonly string[]> {
  const free = await lookups.wait('lookup', waitMs);
  if (free === null)
    throw new SendFault('dns_error', `Too many names were asked for at once to find ${host}`);
  try {
    const found = canonical(
      (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
    );
    if (found.length === 0) throw new SendFault('dns_error', `${host} has no address`);
    return found;
  } catch (error) {
    throw error instanceof SendFault ? error : nameFault(host, error);
  } finally {
    free();
  }
}

/** What is not a valid address stays as it is. The address check rejects it. */
const canonical = (addresses: readonly string[]): string[] =>
  addresses.map((address) => canonicalIp(address) ?? address);

function nameFault(host: string, error: unknown): Error {
  const code = codeOf(error);
  if (code === null) return error instanceof Error ? error : new Error(String(error));
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA';
  return new SendFault(
    'dns_error',
    isUnknown
      ? `There is no address for the name ${host} (${code})`
      : `The name ${host} was not resolved (${code})`,
  );
}
