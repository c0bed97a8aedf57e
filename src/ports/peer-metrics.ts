/** Processes that answer at the same address: each reports the numbers of all. */

/** The numbers of one process, as they travel to another; only those who write and read them know more. */
export type MetricsSnapshot = readonly object[];

export interface OwnMetrics {
  all(): Promise<MetricsSnapshot>;
  /** Counters and histograms only: what must not fall when the process ends. Cheap, and reading it changes nothing. */
  lasting(): Promise<MetricsSnapshot>;
}

export interface PeerMetrics {
  /** Called once, with what tells the numbers of this process. */
  offer(own: OwnMetrics): void;
  /** Of all that answer in time, this one among them, and the lasting ones of those that ended. */
  gather(): Promise<readonly MetricsSnapshot[]>;
}
