/** Roles by claim value, as lines of text: `admins = owner`. */
import { type Role, roles } from '../../../../src/model/permission.js';

export type RolesByValue = Readonly<Record<string, Role>>;

export const roleLines = (byValue: RolesByValue): string =>
  Object.entries(byValue)
    .map(([value, role]) => `${value} = ${role}`)
    .join('\n');

/** Splits at the last equals sign: distinguished names contain some too. */
const lineOf = /^(.+\S)\s*=\s*(\w+)$/;

/** The parsed lines, or the first invalid one. */
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
