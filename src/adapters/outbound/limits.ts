/** How much one send may take of time, bytes and connections. Everything an endpoint can stretch has its number here. */
export interface OutboundLimits {
  readonly dnsMs: number;
  /** How long one family of addresses waits for the other: a silent AAAA server must not cost every send 3 s. */
  readonly otherFamilyMs: number;
  /** TCP and TLS together. */
  readonly connectMs: number;
  /**
   * An address that has not accepted by then is given up for the next. Node's default, 250 ms, gives up endpoints that
   * are merely far from here.
   */
  readonly nextAddressMs: number;
  readonly addressesPerFamily: number;
  /** For the body, once the head is here: the status has decided already. */
  readonly afterHeadMs: number;
  readonly maxHeadBytes: number;
  readonly maxReadBytes: number;
  readonly maxKeptBytes: number;
  readonly connectionsPerOrigin: number;
  readonly idleMs: number;
  /** Over all origins: when there are as many, the origin that is unused longest loses its connections. */
  readonly maxConnections: number;
}

export const defaultLimits: OutboundLimits = {
  dnsMs: 3_000,
  otherFamilyMs: 1_000,
  connectMs: 5_000,
  nextAddressMs: 1_000,
  addressesPerFamily: 3,
  afterHeadMs: 3_000,
  maxHeadBytes: 16 * 1024,
  maxReadBytes: 64 * 1024,
  maxKeptBytes: 4 * 1024,
  // As many as the dispatcher sends at once: one that waits for a connection has its deadline running.
  connectionsPerOrigin: 128,
  idleMs: 10_000,
  // The 256 that the dispatcher uses at once, and as many unused ones.
  maxConnections: 512,
};
