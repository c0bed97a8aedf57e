/**
 * Where the texts of settings come from: the environment, the file named by `NAME_FILE`, or a systemd credential called
 * `NAME`. A secret in a file is not inherited by child processes and does not appear in `/proc`.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Option, settings } from './options.js';

export type Source = 'environment' | 'file' | 'credential' | 'default';

export interface SettingTexts {
  /** The environment, plus the contents of the files. */
  readonly env: NodeJS.ProcessEnv;
  /** Only for settings that have a text. */
  readonly sources: ReadonlyMap<string, Source>;
  /** One line each, never with file contents. */
  readonly faults: readonly string[];
}

/** More than any setting needs. A path to a device or a database dump must not fill up memory. */
const maxFileBytes = 64 * 1024;
export const fileSuffix = '_FILE';

export const mayComeFromFile = ({ env, secret }: Option): boolean =>
  secret !== undefined || env.endsWith('_URL');

export function readSettingTexts(env: NodeJS.ProcessEnv): SettingTexts {
  const texts: NodeJS.ProcessEnv = { ...env };
  const sources = new Map<string, Source>();
  const faults: string[] = [];
  const credentials = env.CREDENTIALS_DIRECTORY;
  for (const [, option] of settings) {
    const name = option.env;
    const found = [
      ...(env[name] ? [{ source: 'environment' as const, label: name, path: null }] : []),
      ...(mayComeFromFile(option) ? filesOf(name, env[name + fileSuffix], credentials) : []),
    ];
    const [first, second] = found;
    if (!first) continue;
    if (second) {
      faults.push(`${name} is set twice: by ${first.label} and by ${second.label}; expected one of them`);
      continue;
    }
    sources.set(name, first.source);
    if (first.path === null) continue;
    const read = readText(first.path);
    if (read.ok) texts[name] = read.text;
    else faults.push(`${first.label} ${read.wrong}; expected a readable file with the value of ${name}`);
  }
  return { env: texts, sources, faults };
}

function filesOf(name: string, file: string | undefined, credentials: string | undefined) {
  const credential = credentials ? join(credentials, name) : null;
  return [
    ...(file ? [{ source: 'file' as const, label: name + fileSuffix, path: file }] : []),
    ...(credential && isThere(credential)
      ? [{ source: 'credential' as const, label: `the credential ${name}`, path: credential }]
      : []),
  ];
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly wrong: string };

/** The path may be a secret pasted into the wrong variable, so it is not quoted. */
function readText(path: string): Read {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { ok: false, wrong: 'does not name a file' };
    if (stat.size > maxFileBytes) return { ok: false, wrong: 'names a file of more than 64 KiB' };
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { ok: false, wrong: 'names an empty file' } : { ok: true, text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return { ok: false, wrong: 'names a file that does not exist' };
    if (code === 'EACCES') return { ok: false, wrong: 'names a file that this user may not read' };
    return { ok: false, wrong: 'names a file that cannot be read' };
  }
}
