/**
 * Metrics that outlive their process. A counter that drops looks like a restart of everything, and what it had counted is
 * missing from every rate. So counters and histograms of ended processes are summed and stored. Gauges end with their process.
 */
/** The metrics of one process, as prom-client writes them. */
type Snapshot = readonly object[];

interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** The line of a histogram: its name followed by _bucket, _sum or _count. */
  readonly metricName?: string;
}

interface Numbers {
  readonly name: string;
  readonly type: string;
  readonly values: readonly Value[];
}

export const isLasting = (metric: object): boolean =>
  'type' in metric && (metric.type === 'counter' || metric.type === 'histogram');

export const lastingOf = (snapshot: Snapshot): Snapshot => snapshot.filter(isLasting);

/** Merges two snapshots. The size depends on the number of series, not on the number of ended processes. */
export function addUp(one: Snapshot, other: Snapshot): Snapshot {
  const sums = new Map<string, Numbers>();
  for (const metric of [...lastingOf(one), ...lastingOf(other)] as Numbers[]) {
    const known = sums.get(metric.name);
    sums.set(metric.name, known ? { ...known, values: addValues(known.values, metric.values) } : metric);
  }
  return [...sums.values()];
}

const seriesOf = ({ metricName = '', labels }: Value): string =>
  JSON.stringify([metricName, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);

function addValues(some: readonly Value[], more: readonly Value[]): readonly Value[] {
  const bySeries = new Map(some.map((value) => [seriesOf(value), value]));
  for (const value of more) {
    const series = seriesOf(value);
    const known = bySeries.get(series);
    bySeries.set(series, known ? { ...known, value: known.value + value.value } : value);
  }
  return [...bySeries.values()];
}
