/** The config of a destination as it is read back, without secrets, and how edits of that are merged into the stored config. */

import { shortUrl } from '../../kernel/hosts.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { isSecretHeader, type KindAndConfig } from '../../model/destination.js';
import { emailSettings } from '../../model/email-settings.js';

type Shown = Readonly<Record<string, unknown>>;

const shownHeaders = (headers: Readonly<Record<string, string>>): Shown =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? null : value]),
  );

export function shownConfig({ kind, config }: KindAndConfig): Shown {
  switch (kind) {
    case 'webhook': {
      const { secret: _, headers, ...shown } = config;
      return { ...shown, headers: shownHeaders(headers) };
    }
    case 'slack':
    case 'discord':
    case 'teams':
      return { url: shortUrl(config.url) };
    case 'telegram':
      return { chat_id: config.chat_id };
    case 'google_sheets':
      return { spreadsheet_id: config.spreadsheet_id, sheet: config.sheet };
    case 'email':
      return emailSettings(config);
  }
}

/**
 * For the audit log: includes a hash of the whole config under a name that the log masks, so that changing a secret shows up as
 * a change.
 */
export const recordedConfig = (stored: KindAndConfig): Shown => ({
  ...shownConfig(stored),
  secrets: sha256Hex(JSON.stringify(stored.config)),
});

/** Values that come back as they were shown stay as they are stored. The result is not validated yet. */
export function mergedConfig(stored: KindAndConfig, patch: Shown): Shown {
  const merged: Shown = { ...stored.config, ...patch };
  switch (stored.kind) {
    case 'webhook':
      return { ...merged, headers: mergedHeaders(stored.config.headers, merged.headers) };
    case 'slack':
    case 'discord':
    case 'teams':
      return { ...merged, url: patch.url === shortUrl(stored.config.url) ? stored.config.url : merged.url };
    default:
      return merged;
  }
}

/**
 * The credentials among the stored headers that a patch would send to another host. They were entered for the old one and are never
 * shown: the person who changes the host must enter them again.
 */
export function headersToRepeat({ kind, config }: KindAndConfig, patch: Shown): readonly string[] {
  const { url } = patch;
  if (kind !== 'webhook' || typeof url !== 'string' || !URL.canParse(url)) return [];
  if (new URL(url).origin === new URL(config.url).origin) return [];
  const headers = new Map(Object.entries(patch.headers ?? shownHeaders(config.headers)));
  return [...headers.keys()].filter((name) => isSecretHeader(name) && headers.get(name) === null);
}

function mergedHeaders(stored: Readonly<Record<string, string>>, patched: unknown): unknown {
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) return patched;
  const values = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(patched).map(([name, value]) => [name, value ?? values.get(name.toLowerCase()) ?? null]),
  );
}
