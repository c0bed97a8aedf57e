/**
 * Opens a socket to an address that has been judged. What must stay true: the literal, or every address that the name
 * resolves to, passes the judge; the socket goes to one of exactly these addresses; and where it really leads is judged
 * again before a byte is written, the first byte of TLS included. The name stays in SNI and in the certificate check.
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { canonicalIp } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';
import { bounded } from './bounded.js';
import type { EndpointNames } from './endpoint-names.js';
import { mostTelling, SendFault, toFault } from './faults.js';
import type { OutboundLimits } from './limits.js';
import type { NameResolver } from './resolver.js';
import type { Target } from './target.js';

/** Why a socket for this destination may not go to the address; null when it may. */
export type JudgeAddress = (
  destination: { readonly host: string; readonly port: number },
  address: string,
) => string | null;

/** What is known of an attempt even when it fails half-way. */
export interface Progress {
  dnsMs: number | null;
  connectMs: number | null;
  remoteAddress: string | null;
}

export interface GuardedConnector {
  /** Rejects with a SendFault, with the signal's reason, or with an error of our own. */
  open(target: Target, signal: AbortSignal, progress: Progress): Promise<Socket>;
}

export interface ConnectorParts {
  readonly judgeAddress: JudgeAddress;
  readonly names: NameResolver;
  /** Awaited before anything is judged. */
  readonly endpointNames: EndpointNames;
  readonly limits: OutboundLimits;
  readonly certificateAuthorities: readonly string[] | undefined;
}

export function createGuardedConnector(parts: ConnectorParts): GuardedConnector {
  const { judgeAddress, names, endpointNames, limits } = parts;
  let context: SecureContext | undefined;
  /** Reading the roots takes milliseconds: once, not for every connection. */
  const secureContext = (): SecureContext => {
    const ca = parts.certificateAuthorities;
    context ??= createSecureContext(ca === undefined ? {} : { ca: [...ca] });
    return context;
  };

  async function addressesOf(
    target: Target,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<readonly string[]> {
    if (target.literal !== null) return [target.literal];
    if (isLocalhost(target.host)) {
      // Not a stranger's answer but ours, so one of the two is enough: an owner may have allowed 127.0.0.0/8 alone.
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

  /** One bad answer spoils all: whoever mixes inside and outside addresses is trying something. */
  function vetted(target: Target, addresses: readonly string[]): readonly string[] {
    for (const address of addresses) refuseBlocked(target, address);
    return interleaved([...new Set(addresses)]).slice(0, limits.maxAddressesTried);
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
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Socket> {
    const { socket, address } = await firstToConnect(target, addresses, limits.nextAddressMs, signal);
    try {
      const remote = canonicalIp(socket.remoteAddress ?? '');
      // No remote address: the other side has gone already.
      if (remote === null) throw new SendFault('reset', `${target.where} closed the connection at once`);
      if (remote !== address) {
        const detail = `${target.where} led to another address than the one that was checked`;
        throw new SendFault('blocked_address', detail, `${target.where} led to ${remote}`);
      }
      refuseBlocked(target, remote);
      return target.secure ? await secured(target, socket, secureContext(), signal) : socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  return {
    async open(target, signal, progress) {
      const asking = endpointNames(target.port);
      // It ends by itself, within the time for a name; bounded for the signal's sake.
      if (asking !== undefined) await bounded(asking, 2 * limits.dnsMs, signal, namesHang);
      const addresses = vetted(target, await addressesOf(target, signal, progress));
      const startedAt = performance.now();
      // Ends the attempts that are still under way when this one is over, however it ends.
      const over = new AbortController();
      const opening = connected(target, addresses, over.signal);
      try {
        const late = () =>
          new SendFault('connect_timeout', `${target.where} did not take the connection in time`);
        const socket = await bounded(opening, limits.connectMs, signal, late);
        progress.remoteAddress = canonicalIp(socket.remoteAddress ?? '');
        return socket;
      } catch (error) {
        over.abort(error);
        opening.then(discard, nothing);
        throw error;
      } finally {
        progress.connectMs = performance.now() - startedAt;
      }
    },
  };
}

const namesHang = (): Error => new Error('The names of our own endpoints were not looked up in time');

/** A socket that was ready in the moment in which nobody wanted it any more. */
const discard = (socket: Socket): void => {
  socket.destroy();
};
const nothing = (): void => {};

/** IPv4 first, since a machine without a working IPv6 is the commoner fault; then in turns. */
function interleaved(addresses: readonly string[]): readonly string[] {
  const four = addresses.filter((address) => isIP(address) === 4);
  const six = addresses.filter((address) => isIP(address) === 6);
  return Array.from({ length: Math.max(four.length, six.length) }, (_, at) => [four[at], six[at]])
    .flat()
    .filter((address) => address !== undefined);
}

interface Connected {
  readonly socket: Socket;
  readonly address: string;
}

/** Tries the next address when one fails, or beside it when it only keeps silent; the first to connect wins. */
function firstToConnect(
  target: Target,
  addresses: readonly string[],
  nextAddressMs: number,
  signal: AbortSignal,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    const trying = new Set<Socket>();
    const errors: Error[] = [];
    let next = 0;
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      for (const socket of trying) socket.destroy();
    };
    const onAbort = (): void => {
      end();
      reject(signal.reason);
    };
    const tryNext = (): void => {
      clearTimeout(timer);
      const address = addresses[next];
      if (address === undefined) {
        if (trying.size > 0) return;
        end();
        reject(toFault(mostTelling(errors) ?? new Error('no address'), 'connect', target.where));
        return;
      }
      next += 1;
      const socket = connect({ host: address, port: target.port, noDelay: true, keepAlive: true });
      trying.add(socket);
      // Stays for the life of the socket: an error that comes after everything is over must find somebody.
      socket.on('error', (error) => {
        if (!trying.delete(socket)) return;
        errors.push(error);
        tryNext();
      });
      socket.once('connect', () => {
        trying.delete(socket);
        end();
        resolve({ socket, address });
      });
      timer = setTimeout(tryNext, nextAddressMs);
    };
    signal.addEventListener('abort', onAbort);
    tryNext();
  });
}

function secured(
  target: Target,
  plain: Socket,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: plain,
      secureContext,
      ALPNProtocols: ['http/1.1'],
      // The certificate is checked against `host`; SNI must not carry an address (RFC 6066).
      host: target.host,
      ...(target.literal === null ? { servername: target.host } : {}),
    });
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const end = (): void => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    socket.on('error', (error) => {
      end();
      socket.destroy();
      reject(toFault(error, 'tls', target.where));
    });
    socket.once('secureConnect', () => {
      end();
      resolve(socket);
    });
  });
}
