/** Processes that serve the same address: each reports the metrics of all. */

/** The metrics of one process in transit to another. Only the code that writes and reads them knows their format. */
export type MetricsSnapshot = readonly object[];

export interface OwnMetrics {
  all(): Promise<MetricsSnapshot>;
  /** Counters and histograms only: what must not decrease when the process exits. Cheap, and reading it changes nothing. */
  lasting(): Promise<MetricsSnapshot>;
}

export interface PeerMetrics {
  /** Called once, with the source of this process's metrics. */
  offer(own: OwnMetrics): void;
  /** The metrics of all processes that respond in time, including this one, and the lasting ones of those that have exited. */
  gather(): Promise<readonly MetricsSnapshot[]>;
}
