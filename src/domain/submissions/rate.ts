/** How many of its requests a client has used in the current window. */
export interface RateReading {
  readonly limit: number;
  /** Requests in this window, this one included. */
  readonly count: number;
  readonly remaining: number;
  readonly resetsAt: number;
}

export interface RateCount {
  readonly over: boolean;
  readonly rate: RateReading;
}
