export interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
}
export function metricsIn(text: string): readonly Metric[];
