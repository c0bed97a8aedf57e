import type { Figure, Peer } from '../report/report.mjs';

export interface Medians {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuUsPerRequest: number;
  readonly averageBatch?: number;
}

export interface Cell {
  readonly format: string;
  readonly connections: number;
  readonly ratio: number;
  readonly ratios: readonly number[];
  readonly servers: Readonly<Record<string, Medians>>;
  readonly raw: Readonly<Record<string, readonly Medians[]>>;
}

export function reportOf(measured: {
  readonly cells: readonly Cell[];
  /** Null in a quick run. */
  readonly sustained: Medians | null;
  readonly floors: { readonly oneByOne: number; readonly by64: number; readonly files: number };
  readonly peers: readonly Peer[];
  readonly labels: Readonly<Record<string, string>>;
  readonly goalConnections: number;
}): Figure;
