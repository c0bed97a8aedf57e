/** How much one send may take of time, bytes and connections. Everything a receiver can stretch has its number here. */
export interface OutboundLimits {
  readonly dnsMs: number;
  /** How long one family of addresses waits for the other; a silent AAAA server must not cost every send 3 s. */
  readonly otherFamilyMs: number;
  /** TCP and TLS together. */
  readonly connectMs: number;
  /** After this long without an answer from one address, the next is tried beside it. */
  readonly nextAddressMs: number;
  readonly maxAddressesTried: number;
  /** For the body, once the head is here: the status has decided already. */
  readonly afterHeadMs: number;
  readonly maxHeadBytes: number;
  readonly maxReadBytes: number;
  readonly maxKeptBytes: number;
  readonly connectionsPerOrigin: number;
  readonly idleMs: number;
  /** Open and unused, over all origins; the one unused longest makes room. */
  readonly maxIdleConnections: number;
}

export const defaultLimits: OutboundLimits = {
  dnsMs: 3_000,
  otherFamilyMs: 1_000,
  connectMs: 5_000,
  nextAddressMs: 250,
  maxAddressesTried: 4,
  afterHeadMs: 3_000,
  maxHeadBytes: 16 * 1024,
  maxReadBytes: 64 * 1024,
  maxKeptBytes: 4 * 1024,
  // As many as the dispatcher sends at once: one that waits for a connection has its deadline running.
  connectionsPerOrigin: 128,
  idleMs: 10_000,
  maxIdleConnections: 256,
};
