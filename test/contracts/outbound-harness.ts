/** Shared by the suites of the outbound contract: a sender under test, a name server, receivers, and their cleanup. */
import { afterEach, beforeEach, expect } from 'vitest';
import {
  type AddressPolicy,
  type Destination,
  judgeResolvedAddress,
  judgeWebhookUrl,
} from '../../src/domain/webhooks/address-policy.js';
import { type OwnEndpoint, OwnEndpoints } from '../../src/domain/webhooks/own-endpoints.js';
import { NetworkSet, parseNetwork } from '../../src/kernel/addresses.js';
import type { Outbound, OutboundRequest, OutboundResult } from '../../src/ports/outbound.js';
import { type NameServer, startNameServer } from '../support/name-server.js';
import type { Receiver } from '../support/receivers.js';

export interface OutboundParts {
  readonly judgeUrl: (url: string) => string | null;
  readonly judgeAddress: (destination: Destination, address: string) => string | null;
  readonly guardedNames: Pick<OwnEndpoints, 'namesAt' | 'learn'>;
  readonly onBlocked?: (why: string) => void;
  readonly dnsServers: readonly string[];
  readonly certificateAuthorities?: readonly string[];
}

/** Includes all that is known about the service's own endpoints. */
export interface HarnessPolicy extends AddressPolicy {
  readonly own: OwnEndpoints;
}

export const policyOf = (allow: {
  networks?: string[];
  hosts?: string[];
  own?: OwnEndpoint[];
}): HarnessPolicy => ({
  insideAllowed: false,
  allowedNetworks: new NetworkSet((allow.networks ?? []).flatMap((text) => parseNetwork(text) ?? [])),
  allowedHosts: new Set(allow.hosts ?? []),
  own: new OwnEndpoints(() => new Set(), allow.own),
});

/** The judges as the service passes them in. */
export const judgesOf = (policy: HarnessPolicy) => ({
  judgeUrl: (url: string) => judgeWebhookUrl(policy, url),
  judgeAddress: (destination: Destination, address: string) =>
    judgeResolvedAddress(policy, destination, address),
  guardedNames: policy.own,
});

/** Receivers listen on 127.0.0.1, which stands for an allowed address. 127.0.0.2 stands for an inside address, which is forbidden. */
export const onlyReceivers = policyOf({ networks: ['127.0.0.1/32'] });

/** Long enough for a busy machine when a response is expected. */
const ampleMs = 20_000;
/** For receivers that never finish. Long enough that a busy machine has connected by then. */
export const shortMs = 2_000;

export const hook = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  headers: { 'Content-Type': 'application/json' },
  body: '{"event":"submission.created"}',
  timeoutMs: ampleMs,
  ...more,
});

export const isFault = (fault: OutboundResult['fault']) => ({
  status: null,
  fault,
  response: null,
  detail: expect.stringMatching(/^[^\p{Cc}\p{Zl}\p{Zp}]{10,300}$/u),
});

export interface OutboundHarness {
  /** This test's name server. */
  readonly names: NameServer;
  /** May reach receivers only. */
  readonly outbound: Outbound;
  /** Another sender, closed after the test. */
  sender(policy: HarnessPolicy, more?: Partial<OutboundParts>): Outbound;
  /** A receiver, closed after the test. */
  started(starting: Promise<Receiver>): Promise<Receiver>;
  sendTo(starting: Promise<Receiver>, timeoutMs?: number): Promise<OutboundResult>;
}

/** Call inside a describe. Each of its tests has fresh parts. */
export function outboundHarness(make: (parts: OutboundParts) => Outbound): OutboundHarness {
  let names: NameServer;
  let outbound: Outbound;
  let open: { close(): Promise<void> }[] = [];

  const sender = (policy: HarnessPolicy, more: Partial<OutboundParts> = {}): Outbound => {
    const made = make({ ...judgesOf(policy), dnsServers: [names.server], ...more });
    open.push(made);
    return made;
  };
  const started = async (starting: Promise<Receiver>): Promise<Receiver> => {
    const receiver = await starting;
    open.push(receiver);
    return receiver;
  };

  beforeEach(async () => {
    names = await startNameServer();
    outbound = sender(onlyReceivers);
  });
  afterEach(async () => {
    await Promise.all(open.map((one) => one.close()));
    open = [];
    await names.close();
  });

  return {
    get names() {
      return names;
    },
    get outbound() {
      return outbound;
    },
    sender,
    started,
    sendTo: async (starting, timeoutMs = ampleMs) =>
      outbound.send(hook((await started(starting)).url, { timeoutMs })),
  };
}
