/** The table for people: the settings in force for `inlet config`, and the pages of the documentation. */
import { type Config, type Option, settings, writtenText } from './options.js';
import { mayComeFromFile, readSettingTexts, type Source } from './sources.js';
import { maskUrl } from './urls.js';

export interface DescribedSetting {
  readonly name: string;
  /** Without secrets. When nothing is set: what happens then, in words. */
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

/** Text as it is in force; numbers and lists as they were written, because "24 h" says more than 86400000. */
function shownValue(option: Option, value: unknown, written: string | null): string {
  if (written === null && option.unset) return option.unset;
  if (option.secret === 'value') return '********';
  if (typeof value !== 'string') return written ?? option.default ?? '';
  return option.secret === 'url' ? maskUrl(value) : value;
}

/** The whole of docs/configuration.md. */
export function configurationMarkdown(): string {
  const groups = new Set(settings.map(([, option]) => option.group));
  const sections = [...groups].map((group) => {
    const rows = settings
      .filter(([, option]) => option.group === group)
      .map(([, option]) => [
        code(option.env),
        shownDefault(option),
        plain(option.type.expects),
        plain(option.doc),
      ]);
    return `## ${group}\n\n${table(['Setting', 'Default', 'Value', 'Meaning'], rows)}`;
  });
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

/** The short table of the README. */
export function settingsTableMarkdown(): string {
  const rows = settings.map(([, option]) => [code(option.env), shownDefault(option), plain(option.doc)]);
  return table(['Setting', 'Default', 'Meaning'], rows);
}

const introduction = `# Configuration

Generated from src/config/options.ts.

Inlet is configured by environment variables. None is required. An empty variable counts as not set.
When settings are wrong, Inlet lists every fault, one line each, and exits with code 1 before it opens
anything. A variable that starts with INLET_ and is not listed here is a fault too, and so is a near miss
of any setting, such as DATABSE_URL.

**Secrets in files.** Every secret and every URL can come from a file: set \`NAME_FILE\` to its path instead of
\`NAME\` (such as \`DATABASE_URL_FILE=/run/secrets/database_url\`). Under systemd, a credential called \`NAME\` does the
same: \`LoadCredential=DATABASE_URL:/etc/inlet/database-url\`. One line break at the end of the file is ignored.
Settings that can come from a file: ${settings
  .filter(([, option]) => mayComeFromFile(option))
  .map(([, option]) => `\`${option.env}\``)
  .join(
    ', ',
  )}. The keys of S3 are read by the AWS library, which has files of its own (\`AWS_SHARED_CREDENTIALS_FILE\`).

\`inlet config\` shows the settings in force, without secrets.
\`{NAME}\` in a default stands for that setting's value.`;

const shownDefault = (option: Option): string => option.unset ?? code(option.default ?? '');
const code = (text: string): string => `\`${text}\``;
/** `<address>` would be taken for HTML, a bar for the end of the cell. */
const plain = (text: string): string => text.replace(/[<>|*]/g, '\\$&');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
