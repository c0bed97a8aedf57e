import type { Results } from './report.mjs';

export function resultsNamedBy(page: string): string | null;
export function pageOf(results: Results, file: string): Record<string, string>;
