export interface Burst {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly errors: number;
}

export function fromWrk(output: string): Burst;
export function fromAutocannon(output: string): Burst;
