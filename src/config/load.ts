/**
 * Environment → Config, or all faults at once, one line each: the setting, what is wrong, what is expected.
 * Opens nothing except files that contain settings. No fault repeats a secret.
 */
import { type Config, type Option, settings, writtenText } from './options.js';
import { faultsBetween } from './rules.js';
import { valid } from './setting-type.js';
import { readSettingTexts } from './sources.js';
import { unknownNames } from './unknown-names.js';

const placeholder = /\{\w+\}/g;
const longestQuote = 100;

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly string[] };

export function loadConfig(environment: NodeJS.ProcessEnv): LoadedConfig {
  const { env, faults: fileFaults } = readSettingTexts(environment);
  const values = new Map<string, unknown>();
  const faults = [...fileFaults];
  for (const [, option] of settings) {
    const text = writtenText(option, env) ?? defaultText(option, values);
    if (text === undefined) continue;
    const parsed = text === null ? valid(null) : option.type.parse(text);
    if (parsed.ok) values.set(option.env, parsed.value);
    else faults.push(fault(option, text ?? '', parsed.wrong));
  }
  const config = Object.fromEntries(settings.map(([key, option]) => [key, values.get(option.env)]));
  faults.push(...faultsBetween(config as Partial<Config>, env), ...unknownNames(environment));
  return faults.length === 0 ? { ok: true, config: config as Config } : { ok: false, faults };
}

/** Returns undefined when the default refers to an invalid setting, which already has its own fault. */
function defaultText(option: Option, values: ReadonlyMap<string, unknown>): string | null | undefined {
  const names = option.default?.match(placeholder) ?? [];
  if (names.some((name) => !values.has(name.slice(1, -1)))) return undefined;
  return option.default?.replace(placeholder, (name) => String(values.get(name.slice(1, -1)))) ?? null;
}

function fault(option: Option, text: string, wrong: string): string {
  return `${option.env}${option.secret ? '' : ` ${quoted(text)}`} ${wrong}; expected ${option.type.expects}`;
}

/** On one line and without credentials, in case the value contains some by mistake. */
function quoted(text: string): string {
  const masked = text.replace(/\/\/.*@/s, '//***@');
  return JSON.stringify(masked.length > longestQuote ? `${masked.slice(0, longestQuote)}…` : masked);
}
