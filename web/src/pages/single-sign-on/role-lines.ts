/** Roles by the values of a claim, as lines of text: `admins = owner`. */
import { type Role, roles } from '../../../../src/model/permission.js';

export type RolesByValue = Readonly<Record<string, Role>>;

export const roleLines = (byValue: RolesByValue): string =>
  Object.entries(byValue)
    .map(([value, role]) => `${value} = ${role}`)
    .join('\n');

/** The last sign counts: distinguished names have some too. */
const lineOf = /^(.+\S)\s*=\s*(\w+)$/;

/** The lines, read; or the first that cannot be. */
export function readRoleLines(text: string): { readonly roles: RolesByValue } | { readonly wrong: string } {
  const found: [string, Role][] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const [, value, name] = lineOf.exec(line) ?? [];
    const role = roles.find((one) => one === name?.toLowerCase());
    if (value === undefined || role === undefined) return { wrong: line };
    found.push([value, role]);
  }
  return { roles: Object.fromEntries(found) };
}
