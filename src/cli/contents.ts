/** How much an instance holds, for the last lines of commands that carry it around. */
import type { Foundation } from '../compose/foundation.js';

export interface Contents {
  readonly accounts: number;
  readonly projects: number;
  readonly forms: number;
  readonly submissions: number;
}

export async function contentsOf({ accounts }: Foundation): Promise<Contents> {
  const listed = await accounts.list();
  const sum = { accounts: listed.length, projects: 0, forms: 0, submissions: 0 };
  for (const { id } of listed) {
    const usage = await accounts.usage(id);
    sum.projects += usage.projects;
    sum.forms += usage.forms;
    sum.submissions += usage.submissions;
  }
  return sum;
}

export const contentsText = (held: Contents): string =>
  `${held.accounts} accounts, ${held.projects} projects, ${held.forms} forms, ${held.submissions} submissions`;

/** Files that a command could not carry along. */
export function missingLines(ids: readonly string[], what: string): readonly string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, 20).map((id) => `  ${id}`);
  const rest = ids.length > 20 ? [`  and ${ids.length - 20} more (all of them with --json)`] : [];
  return [`${ids.length} files ${what}:`, ...shown, ...rest];
}
