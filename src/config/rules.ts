/** Faults between settings: each is valid on its own, but they do not fit together. */
import { type Config, options, writtenText } from './options.js';

/** Invalid settings are undefined here: each already has its own fault. */
export function faultsBetween(config: Partial<Config>, env: NodeJS.ProcessEnv): string[] {
  const isSet = (key: keyof Config) => writtenText(options[key], env) !== null;
  const needs = (key: keyof Config, partner: keyof Config) =>
    isSet(key) && !isSet(partner)
      ? [`${options[key].env} is set without ${options[partner].env}; expected both`]
      : [];
  return [
    ...needs('adminEmail', 'adminPassword'),
    ...needs('adminPassword', 'adminEmail'),
    ...needs('smtpUrl', 'mailFrom'),
    ...needs('dkimDomain', 'dkimSelector'),
    ...needs('dkimSelector', 'dkimPrivateKey'),
    ...needs('dkimPrivateKey', 'dkimDomain'),
    ...linksToPortZero(config, isSet('baseUrl')),
    ...samePort(config),
    ...fileInBody(config, env),
  ];
}

/** Stored links outlive the process, so they cannot contain a port that is picked at startup. */
const linksToPortZero = ({ port }: Partial<Config>, hasBaseUrl: boolean): string[] =>
  port === 0 && !hasBaseUrl ? ['PORT 0 needs BASE_URL; expected both, or a fixed PORT'] : [];

const samePort = ({ port, opsPort }: Partial<Config>): string[] =>
  port !== undefined && port === opsPort ? ['OPS_PORT is the same as PORT; expected another port'] : [];

function fileInBody({ maxFileBytes, maxBodyBytes }: Partial<Config>, env: NodeJS.ProcessEnv): string[] {
  if (maxFileBytes === undefined || maxBodyBytes === undefined || maxFileBytes <= maxBodyBytes) return [];
  const file = writtenText(options.maxFileBytes, env);
  const body = writtenText(options.maxBodyBytes, env);
  const fileText = file ?? `${options.maxFileBytes.default} by default`;
  const bodyText = body ?? `${options.maxBodyBytes.default} by default`;
  const remedy =
    file === null
      ? 'set MAX_FILE_BYTES too'
      : body === null
        ? 'set MAX_BODY_BYTES too'
        : 'change one of them';
  return [
    `MAX_FILE_BYTES (${fileText}) is larger than MAX_BODY_BYTES (${bodyText}); ` +
      `expected at most that, because a file comes inside a body: ${remedy}`,
  ];
}
