/** What the suites of the outbound contract share: a sender under test, a name server, receivers, and their end. */
import { afterEach, beforeEach, expect } from 'vitest';
import {
  type AddressPolicy,
  judgeResolvedAddress,
  judgeWebhookUrl,
} from '../../src/domain/webhooks/address-policy.js';
import { NetworkSet, parseNetwork } from '../../src/kernel/addresses.js';
import type { Outbound, OutboundRequest, OutboundResult } from '../../src/ports/outbound.js';
import { type NameServer, startNameServer } from '../support/name-server.js';
import type { Receiver } from '../support/receivers.js';

export interface OutboundParts {
  readonly judgeUrl: (url: string) => string | null;
  readonly judgeAddress: (host: string, address: string) => string | null;
  readonly dnsServers: readonly string[];
  readonly certificateAuthorities?: readonly string[];
}

export const policyOf = (allow: { networks?: string[]; hosts?: string[] }): AddressPolicy => ({
  insideAllowed: false,
  allowedNetworks: new NetworkSet((allow.networks ?? []).flatMap((text) => parseNetwork(text) ?? [])),
  allowedHosts: new Set(allow.hosts ?? []),
});

/** The judges as the service hands them in. */
export const judgesOf = (policy: AddressPolicy) => ({
  judgeUrl: (url: string) => judgeWebhookUrl(policy, url),
  judgeAddress: (host: string, address: string) => judgeResolvedAddress(policy, host, address),
});

/** Receivers live on 127.0.0.1, which stands for an allowed address; 127.0.0.2 is the inside that nobody may reach. */
export const onlyReceivers = policyOf({ networks: ['127.0.0.1/32'] });

/** Long enough for a busy machine where an answer is expected. */
const ampleMs = 20_000;
/** For receivers that never come to an end; long enough that a busy machine has connected by then. */
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
  /** Of this test. */
  readonly names: NameServer;
  /** May reach receivers only. */
  readonly outbound: Outbound;
  /** Another sender, closed after the test. */
  sender(policy: AddressPolicy, more?: Partial<OutboundParts>): Outbound;
  /** A receiver, closed after the test. */
  started(starting: Promise<Receiver>): Promise<Receiver>;
  sendTo(starting: Promise<Receiver>, timeoutMs?: number): Promise<OutboundResult>;
}

/** To be called inside a describe: each of its tests has fresh parts. */
export function outboundHarness(make: (parts: OutboundParts) => Outbound): OutboundHarness {
  let names: NameServer;
  let outbound: Outbound;
  let open: { close(): Promise<void> }[] = [];

  const sender = (policy: AddressPolicy, more: Partial<OutboundParts> = {}): Outbound => {
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
