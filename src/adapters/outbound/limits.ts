/** How much time, bytes and connections a send may take. Everything that an endpoint can stretch has a limit here. */
export interface OutboundLimits {
  readonly dnsMs: number;
  /** How long one address family waits for the other: a silent AAAA server must not cost every send 3 s. */
  readonly otherFamilyMs: number;
  /** TCP and TLS together. */
  readonly connectMs: number;
  /**
   * If an address has not accepted by then, the next one is tried. Node's default of 250 ms gives up on endpoints that
   * are merely far away.
   */
  readonly nextAddressMs: number;
  readonly addressesPerFamily: number;
  /** For the body once the head has arrived: the status has already decided the result. */
  readonly afterHeadMs: number;
  readonly maxHeadBytes: number;
  readonly maxReadBytes: number;
  readonly maxKeptBytes: number;
  readonly connectionsPerOrigin: number;
  readonly idleMs: number;
  /** For all origins together. At this number, the least recently used idle origin loses its connections. */
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
  // As many as the dispatcher sends to one origin at once: the deadline also runs while a request waits for a connection.
  connectionsPerOrigin: 128,
  idleMs: 10_000,
  // The 256 that the dispatcher uses at once, and as many idle ones.
  maxConnections: 512,
};
