/**
 * Opens a socket to a checked address. Invariants: the literal, or every address that the name resolves to, passes the
 * check. The socket goes to one of exactly these addresses. Where it is really connected to is checked again before a
 * byte is written, including the first byte of TLS. SNI and the certificate check still use the name.
 */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { canonicalIp } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';
import { bounded } from './bounded.js';
import type { EndpointNames } from './endpoint-names.js';
import { mostTelling, SendFault, toFault } from './faults.js';
import type { OutboundLimits } from './limits.js';
import type { NameResolver } from './resolver.js';
import type { Target } from './target.js';

type ConnectTls = buildConnector.connector;

/** Returns why a socket for this destination may not connect to the address, or null when it may. */
export type JudgeAddress = (
  destination: { readonly host: string; readonly port: number },
  address: string,
) => string | null;

/** What is known about an attempt even when it fails halfway. */
export interface Progress {
  dnsMs: number | null;
  connectMs: number | null;
  remoteAddress: string | null;
}

export interface GuardedConnector {
  /** Rejects with a SendFault, the signal's reason or an internal error. */
  open(target: Target, signal: AbortSignal, progress: Progress): Promise<Socket>;
}

export interface ConnectorParts {
  readonly judgeAddress: JudgeAddress;
  readonly names: NameResolver;
  /** Awaited before any address is checked. */
  readonly endpointNames: EndpointNames;
  readonly limits: OutboundLimits;
  readonly certificateAuthorities: readonly string[] | undefined;
}

export function createGuardedConnector(parts: ConnectorParts): GuardedConnector {
  const { judgeAddress, names, endpointNames, limits } = parts;
  const loadTls = async (): Promise<ConnectTls> => {
    // Loaded with the first connection, not with this file: it would take 0.15 s of a start of 1.0 s.
    const { buildConnector } = await import('undici');
    const ca = parts.certificateAuthorities;
    // Without its own timeout: `open` has one for TCP and TLS together.
    return buildConnector({
      secureContext: createSecureContext(ca === undefined ? {} : { ca: [...ca] }),
      timeout: 0,
    });
  };
  /** Loaded once, not per connection: reading the root certificates takes milliseconds. */
  let tls: Promise<ConnectTls> | undefined;
  const connectTls = (): Promise<ConnectTls> => {
    tls ??= loadTls();
    return tls;
  };

  async function addressesOf(
    target: Target,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<readonly string[]> {
    if (target.literal !== null) return [target.literal];
    if (isLocalhost(target.host)) {
      // No name server decides this, so one allowed address is enough: an operator may have allowed only 127.0.0.0/8.
      const loopback = ['127.0.0.1', '::1'];
      const allowed = loopback.filter((address) => judgeAddress(target, address) === null);
      return allowed.length > 0 ? allowed : loopback;
    }
    const startedAt = performance.now();
    try {
      return await names.resolve(target.host, signal);
    } finally {
      progress.dnsMs = performance.now() - startedAt;
    }
  }

  /**
   * One blocked address blocks them all: a name that mixes internal and public addresses is an attack. IPv4 comes first,
   * because machines without working IPv6 are the more common fault. From there on Node alternates.
   */
  function vetted(target: Target, addresses: readonly string[]): readonly string[] {
    for (const address of addresses) refuseBlocked(target, address);
    const ofFamily = (family: number): string[] =>
      [...new Set(addresses)]
        .filter((address) => isIP(address) === family)
        .slice(0, limits.addressesPerFamily);
    return [...ofFamily(4), ...ofFamily(6)];
  }

  function refuseBlocked(target: Target, address: string): void {
    const reason = isIP(address) === 0 ? `${address} is not an address` : judgeAddress(target, address);
    if (reason === null) return;
    if (target.literal !== null) throw new SendFault('blocked_address', reason);
    throw new SendFault(
      'blocked_address',
      `${target.host} resolves to an address that is not allowed`,
      `${target.host}: ${reason}`,
    );
  }

  async function connected(
    target: Target,
    socket: Socket,
    addresses: readonly string[],
    startTls: ConnectTls | null,
  ): Promise<{ readonly opened: Socket; readonly remote: string }> {
    await once(socket, 'connect').catch((error) => {
      throw toFault(mostTelling(error), 'connect', target.where);
    });
    const remote = canonicalIp(socket.remoteAddress ?? '');
    if (remote === null) throw new SendFault('reset', `${target.where} closed the connection at once`);
    if (!addresses.includes(remote)) {
      const detail = `${target.where} led to another address than the one that was checked`;
      throw new SendFault('blocked_address', detail, `${target.where} led to ${remote}`);
    }
    refuseBlocked(target, remote);
    const opened = startTls === null ? socket : await secured(target, socket, startTls);
    return { opened, remote };
  }

  return {
    async open(target, signal, progress) {
      const asking = endpointNames(target.port);
      // The lookup has its own timeout. `bounded` adds the signal.
      if (asking !== undefined) await bounded(asking, 2 * limits.dnsMs, signal, namesHang);
      const addresses = vetted(target, await addressesOf(target, signal, progress));
      const startTls = target.secure ? await connectTls() : null;
      const startedAt = performance.now();
      const socket = connect({
        host: target.literal ?? target.host,
        port: target.port,
        lookup: (_host, _options, found) => found(null, addresses.map(toLookedUp)),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: limits.nextAddressMs,
        noDelay: true,
        keepAlive: true,
      });
      // Stays for the lifetime of the socket: a late error without a listener would end the process.
      socket.on('error', nothing);
      try {
        const late = () =>
          new SendFault('connect_timeout', `${target.where} did not take the connection in time`);
        const connecting = connected(target, socket, addresses, startTls);
        const { opened, remote } = await bounded(connecting, limits.connectMs, signal, late);
        progress.remoteAddress = remote;
        return opened;
      } catch (error) {
        socket.destroy();
        throw error;
      } finally {
        progress.connectMs = performance.now() - startedAt;
      }
    },
  };
}

const namesHang = (): Error => new Error('The names of our own endpoints were not looked up in time');

const nothing = (): void => {};

const toLookedUp = (address: string) => ({ address, family: isIP(address) });

/** The certificate is checked against the host. SNI contains the host only if it is a name (RFC 6066). */
function secured(target: Target, socket: Socket, connectTls: ConnectTls): Promise<Socket> {
  const { host, port, where } = target;
  return new Promise((resolve, reject) => {
    connectTls(
      { protocol: 'https:', hostname: host, host, port: String(port), httpSocket: socket },
      (error, opened) => (error === null ? resolve(opened) : reject(toFault(error, 'tls', where))),
    );
  });
}
