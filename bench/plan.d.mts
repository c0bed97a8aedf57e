export const names: readonly string[];
export const usualNames: readonly string[];
export function expectedSeconds(chosen: readonly string[], quick: boolean): number;
export function limitSeconds(name: string, quick: boolean, leftSeconds: number, wholeSeconds: number): number;
