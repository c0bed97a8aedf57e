export type Tier = 'fast' | 'slow' | 'all' | 'postgres' | `node${number}`;
export interface Tool {
  readonly name: string;
  readonly packages: readonly string[];
  isThere(): boolean;
}
export interface Plan {
  /** The files of each project. */
  readonly projects: Readonly<Record<string, string[]>>;
  /** The tools that the tier needs. */
  readonly tools: readonly Tool[];
  /** The tools that are not installed, and the files that do not run because of that. */
  readonly missing: ReadonlyMap<Tool, readonly string[]>;
}
export const root: string;
export const nodeVersions: readonly string[];
export function nodeProject(version: string): Tier;
export const previousRelease: string;
export function nodeProgram(version: string): string;
export function planOf(tier: Tier): Plan;
