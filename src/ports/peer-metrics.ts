/** Processes that answer at the same address: whoever is asked for its numbers tells those of all. */

/** The numbers of one process, as they travel to another; only those who write and read them know more. */
export type MetricsSnapshot = readonly object[];

export interface PeerMetrics {
  /** Called once, with what tells the numbers of this process. */
  offer(own: () => Promise<MetricsSnapshot>): void;
  /** Of all that answer in time, this one among them. */
  gather(): Promise<readonly MetricsSnapshot[]>;
}
