/** Settings in readable form: the current values for `inlet config`, and docs/reference/settings.md. */
import { type Config, type Option, settings, writtenText } from './options.js';
import { mayComeFromFile, readSettingTexts, type Source } from './sources.js';
import { maskUrl } from './urls.js';

export interface DescribedSetting {
  readonly name: string;
  /** Without secrets. Describes what happens if the setting is not set and has no default. */
  readonly value: string;
  readonly source: Source;
  readonly doc: string;
}

export function describeConfig(config: Config, environment: NodeJS.ProcessEnv): readonly DescribedSetting[] {
  const { env, sources } = readSettingTexts(environment);
  return settings.map(([key, option]) => {
    const written = writtenText(option, env);
    return {
      name: option.env,
      value: shownValue(option, config[key], written),
      source: written === null ? 'default' : (sources.get(option.env) ?? 'default'),
      doc: option.doc,
    };
  });
}

/** Strings in their parsed form; numbers and lists as written, because "24 h" is easier to read than 86400000. */
function shownValue(option: Option, value: unknown, written: string | null): string {
  if (written === null && option.unset) return option.unset;
  if (option.secret === 'value') return '********';
  if (typeof value !== 'string') return written ?? option.default ?? '';
  return option.secret === 'url' ? maskUrl(value) : value;
}

/** The complete docs/reference/settings.md. It uses lists: a table with four columns does not fit a phone. */
export function configurationMarkdown(): string {
  const groups = new Set(settings.map(([, option]) => option.group));
  const sections = [...groups].map((group) => {
    const options = settings.map(([, option]) => option).filter((option) => option.group === group);
    return [`## ${group}`, ...options.map(section)].join('\n\n');
  });
  return `${[introduction, ...sections, secrets, next].join('\n\n')}\n`;
}

const section = (option: Option): string =>
  [
    `### ${option.env}`,
    '',
    plain(option.doc),
    '',
    `- Default: ${shownDefault(option)}`,
    `- Value: ${plain(option.type.expects)}`,
  ].join('\n');

const code = (text: string): string => `\`${text}\``;

const introduction = `---
title: Settings
description: Every setting with its default, its values and its meaning.
order: 0
---

<!-- Generated from src/config/options.ts by npm run docs; do not edit. -->

# Settings

Look up a setting by its name. Settings are environment variables. None is required, and an empty variable counts as not set.

If settings are invalid, Inlet lists every error, one per line, and exits with code 1 before it opens anything. Unknown variables that
start with \`INLET_\` are errors too, and so are misspelled settings, such as \`DATABSE_URL\`.

\`inlet config\` shows the current settings without secrets. \`{NAME}\` in a default stands for the value of that setting.
Secrets can come [from files](#secrets-in-files).`;

const secrets = `## Secrets in files

Every secret and every URL can come from a file: set \`NAME_FILE\` to its path instead of \`NAME\`, such as
\`DATABASE_URL_FILE=/run/secrets/database_url\`. One line break at the end of the file is ignored.

Under systemd, a credential called \`NAME\` does the same: \`LoadCredential=DATABASE_URL:/etc/inlet/database-url\`.

These settings can come from a file: ${settings
  .filter(([, option]) => mayComeFromFile(option))
  .map(([, option]) => code(option.env))
  .join(', ')}.

S3 credentials are read by the AWS library, which has its own files (\`AWS_SHARED_CREDENTIALS_FILE\`).`;

const shownDefault = (option: Option): string => option.unset ?? code(option.default ?? '');
const next = 'Next: [the command line](cli.md), which shows the settings in force with `inlet config`.';
/** Escapes what Markdown would interpret, such as `<address>`, which would be read as HTML. */
const plain = (text: string): string => text.replace(/[<>|*]/g, '\\$&');
