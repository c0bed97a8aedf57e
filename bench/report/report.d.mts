import type { Drawing } from './plot.mjs';

export interface Row {
  readonly figure: string;
  readonly value: string;
  readonly goal: string;
  readonly met: boolean | null;
}

export interface Peer {
  readonly key: string;
  readonly label: string;
  readonly versions: string;
  readonly described: string;
  readonly language: string;
  readonly why?: string;
}

export interface Figure {
  readonly rows: readonly Row[];
  readonly failed?: boolean;
  readonly plots?: readonly (Drawing & { readonly name: string })[];
  readonly tables?: readonly {
    readonly title: string;
    readonly columns: readonly string[];
    readonly rows: readonly (readonly (string | number)[])[];
  }[];
  readonly peers?: readonly Peer[];
}

export interface Results {
  readonly at: string;
  readonly revision: string;
  readonly quick: boolean;
  readonly cpus: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly fileSystem: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly loadAverageBefore: readonly number[];
  readonly loadAverageAfter: readonly number[];
  readonly tookSeconds: number;
  readonly figures: Readonly<Record<string, Figure>>;
}

export function failedFigure(name: string, why: string): Figure;
export function markdownTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string;
export function tableMarkdown(results: Results): string;
/** Returns the path of the JSON. */
export function writeReport(results: Results, folder?: string): string;
