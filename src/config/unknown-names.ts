/**
 * Finds variables that are not settings but look like one. A mistyped DATABASE_URL must not count as "not set": an empty
 * instance would start. Every unknown name that starts with INLET_ is rejected. Other names are rejected only if they are
 * near misses, because many programs share the environment.
 */
import { settings } from './options.js';
import { fileSuffix, mayComeFromFile } from './sources.js';

const prefix = 'INLET_';
const names = settings.map(([, option]) => option.env);
const known = new Set(
  settings.flatMap(([, option]) =>
    mayComeFromFile(option) ? [option.env, option.env + fileSuffix] : [option.env],
  ),
);
const bare = (text: string): string => text.toUpperCase().replaceAll('_', '');

/** `NAME_FILE` of the settings that cannot come from a file, with their `NAME`. */
const fileless = new Map(
  settings.flatMap(([, option]) =>
    mayComeFromFile(option) ? [] : [[option.env + fileSuffix, option.env] as const],
  ),
);

/**
 * Kubernetes sets variables named after the services in the namespace. For a service called "inlet" they
 * have our prefix: INLET_SERVICE_HOST, INLET_PORT=tcp://…, INLET_PORT_3000_TCP_ADDR.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/.test(name) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value));

export function unknownNames(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env)
    .flatMap(([name, value]) => {
      if (!value || known.has(name) || isServiceLink(name, value)) return [];
      const setting = fileless.get(name);
      if (setting !== undefined) return [`${name} is not a setting: ${setting} cannot come from a file`];
      const fault = name.startsWith(prefix) ? faultOfOurs(name) : faultOfNearMiss(name, env);
      return fault === null ? [] : [fault];
    })
    .sort();
}

function faultOfOurs(name: string): string {
  const nearest = nearestName(name);
  const hint =
    nearest === null
      ? `expected ${names.filter((n) => n.startsWith(prefix)).join(', ')}`
      : `did you mean ${nearest}?`;
  return `${name} is not a setting; ${hint}`;
}

/** Compared without prefix and underscores: INLET_APIKEY and INLET_PORT find INLET_API_KEY and PORT. */
function nearestName(name: string): string | null {
  const wanted = bare(name.replace(prefix, ''));
  const [best] = [...known]
    .map((candidate) => ({ candidate, edits: editDistance(wanted, bare(candidate.replace(prefix, ''))) }))
    .sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= Math.max(1, wanted.length / 3) ? best.candidate : null;
}

/** Normalised once, because startup compares every variable with all of them. */
const letters = [...known].map((name) => [name, bare(name)] as const);

/** It is not a typo if the similar setting is set too: REDIS_URI next to REDIS_URL belongs to another program. */
function faultOfNearMiss(name: string, env: NodeJS.ProcessEnv): string | null {
  const wanted = bare(name);
  const meant = letters.find(
    ([candidate, right]) => !env[candidate] && isNearMiss(wanted, right, name !== name.toLowerCase()),
  );
  return meant === undefined ? null : `${name} is not a setting; did you mean ${meant[0]}?`;
}

function isNearMiss(wanted: string, right: string, hasCapitals: boolean): boolean {
  const allowed = right.length < 12 ? 1 : 2;
  // Startup compares thousands of pairs, and most differ in too many letters. Skipping those here brings the CPU time
  // from 50 ms down to 12 ms.
  if (Math.abs(wanted.length - right.length) > allowed || strayLetters(wanted, right) > allowed) return false;
  const edits = editDistance(wanted, right);
  // HOST and PORT: too many other words are one letter off. PROT is still caught: same letters, two of them swapped.
  if (right.length < 6) return hasCapitals && edits === 1 && sameLetters(wanted, right);
  return edits <= allowed;
}

/** Counts the letters of `from` that `to` does not contain. Each of them costs an edit. */
function strayLetters(from: string, to: string): number {
  let count = 0;
  for (const letter of from) if (!to.includes(letter)) count += 1;
  return count;
}

const sameLetters = (a: string, b: string): boolean => [...a].sort().join() === [...b].sort().join();

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const swaps = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = swaps ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
