export type Tier = 'fast' | 'slow' | 'all' | `node${number}`;
export interface Tool {
  readonly name: string;
  readonly packages: readonly string[];
  isThere(): boolean;
}
export interface Plan {
  /** The files of each project. */
  readonly projects: Readonly<Record<string, string[]>>;
  /** What the tier needs. */
  readonly tools: readonly Tool[];
  /** What of it is not installed, and the files that do not run for that. */
  readonly missing: ReadonlyMap<Tool, readonly string[]>;
}
export const root: string;
export const nodeVersions: readonly string[];
export function nodeProject(version: string): Tier;
export const previousRelease: string;
export function nodeProgram(version: string): string;
export function planOf(tier: Tier): Plan;
