/** Variables that look like ours and are not: a mistyped INLET_API_KEY must not pass for "no key given". */
import { settings } from './options.js';

const prefix = 'INLET_';
const names = settings.map(([, option]) => option.env);

/**
 * Kubernetes gives every container variables named after the services around it. With one called "inlet" they
 * start like ours: INLET_SERVICE_HOST, INLET_PORT=tcp://…, INLET_PORT_3000_TCP_ADDR.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/.test(name) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value));

export function unknownNames(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env)
    .filter(
      ([name, value]) =>
        name.startsWith(prefix) && !names.includes(name) && value && !isServiceLink(name, value),
    )
    .map(([name]) => {
      const nearest = nearestName(name);
      const hint =
        nearest === null
          ? `expected ${names.filter((n) => n.startsWith(prefix)).join(', ')}`
          : `did you mean ${nearest}?`;
      return `${name} is not a setting; ${hint}`;
    })
    .sort();
}

/** Compared without prefix and underscores: INLET_APIKEY and INLET_PORT find INLET_API_KEY and PORT. */
function nearestName(name: string): string | null {
  const bare = (text: string) => text.replace(prefix, '').replaceAll('_', '');
  const wanted = bare(name);
  const [best] = names
    .map((candidate) => ({ candidate, edits: editDistance(wanted, bare(candidate)) }))
    .sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= Math.max(1, wanted.length / 3) ? best.candidate : null;
}

/** Levenshtein: letters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
