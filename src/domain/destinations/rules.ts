/** Validates destinations beyond the shape of their config. */
import type { EmailConfig, KindName, WebhookConfig } from '../../contract/destination.js';
import { isMailbox } from '../../kernel/email-address.js';
import { checkCredentials } from '../../kernel/service-account.js';
import type { Destination, KindAndConfig } from '../../model/destination.js';
import { addressesIn, routeKey } from '../../model/email-settings.js';
import { type Fault, refuse } from '../../model/errors.js';
import { parseFilter } from '../planning/filter.js';
import { parseDocument, parseText } from '../planning/template.js';
import { type AddressPolicy, judgeWebhookUrl } from '../webhooks/address-policy.js';

export const maxPerOwner = 100;
const maxRetryMs = 7 * 24 * 60 * 60_000;

/** The default name of each kind. */
export const kindTitles: Readonly<Record<KindName, string>> = {
  webhook: 'Webhook',
  email: 'E-mail',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  google_sheets: 'Google Sheets',
};

const usualEmail = { to: [], cc: [], bcc: [], digest: null };
const usualWebhook = { method: 'POST', headers: {}, secret: null, content_type: 'application/json' };

/** Defaults for what a new destination may leave out. */
export const usualConfig = (kind: KindName): Readonly<Record<string, unknown>> =>
  kind === 'webhook' ? usualWebhook : kind === 'email' ? usualEmail : {};

const fault = (path: string, message: string): Fault => ({ path, message });
const failIf = (faults: readonly Fault[]): void => {
  if (faults.length > 0) throw refuse.invalidBody(faults);
};

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers that HTTP itself needs, that belong to a connection, or that this service sets and signs. */
const reserved = new RegExp(
  `^(${[
    'host|content-(length|type|encoding)|expect|connection|keep-alive|te|trailers?|transfer-encoding|upgrade',
    'proxy-.*|http2-settings|webhook-.*|x-webhook-.*|x-submission-id|x-inlet-.*',
  ].join('|')})$`,
  'i',
);

function headerFaults(headers: WebhookConfig['headers']): readonly Fault[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `config.headers.${name.slice(0, 100)}`;
    const isAgain = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    if (!token.test(name)) return fault(path, 'is not a valid header name');
    if (reserved.test(name)) return fault(path, 'is set by this service, or by HTTP itself');
    if (isAgain) return fault(path, 'must be given once');
    // HTTP clients send nothing else, and a line break would start another header.
    if (!/^[\x20-\x7e]*$/.test(value)) return fault(path, 'must have printable ASCII characters only');
    return [];
  });
}

const mailTemplates = ['subject', 'text', 'html'] as const;

function emailFaults(config: EmailConfig): readonly Fault[] {
  const { route = null, reply_to: replyTo = 'visitor' } = config;
  const names = Object.keys(route?.map ?? {}).map(routeKey);
  return [
    ...(addressesIn(config).length > 0
      ? []
      : [fault('config.to', 'must name at least one address, unless cc, bcc or route do')]),
    ...(new Set(names).size === names.length
      ? []
      : [fault('config.route.map', 'must have each value once; case and blanks around it do not count')]),
    ...(route !== null && config.digest
      ? [fault('config.route', 'contradicts digest: it is one mail about all submissions')]
      : []),
    ...(replyTo === 'visitor' || replyTo === 'none' || isMailbox(replyTo)
      ? []
      : [fault('config.reply_to', 'must be visitor, none or an e-mail address')]),
    ...mailTemplates.flatMap((name) => problemIn(`config.${name}`, parseText(config[name] ?? ''))),
  ];
}

function credentialFaults(text: string): readonly Fault[] {
  const reason = checkCredentials(text);
  return reason === null ? [] : [fault('config.credentials', reason)];
}

function faultsOf({ kind, config }: KindAndConfig, policy: AddressPolicy): readonly Fault[] {
  const urlFaults = (url: string): readonly Fault[] => {
    const reason = judgeWebhookUrl(policy, url);
    return reason === null ? [] : [fault('config.url', reason)];
  };
  switch (kind) {
    case 'webhook':
      return [...urlFaults(config.url), ...headerFaults(config.headers)];
    case 'slack':
    case 'discord':
    case 'teams':
      return urlFaults(config.url);
    case 'email':
      return emailFaults(config);
    case 'google_sheets':
      return credentialFaults(config.credentials);
    case 'telegram':
      return [];
  }
}

/** Throws the error that names the headers of `headersToRepeat`. */
export const requireRepeated = (names: readonly string[]): void =>
  failIf(
    names.map((name) =>
      fault(
        `config.headers.${name.slice(0, 100)}`,
        'must be entered again, because the URL leads to another host',
      ),
    ),
  );

/** Throws the error that the owner sees when the config cannot be used. */
export const requireUsable = (config: KindAndConfig, policy: AddressPolicy): void =>
  failIf(faultsOf(config, policy));

export function requireSchedule(delaysMs: Destination['retryDelaysMs']): void {
  const totalMs = (delaysMs ?? []).reduce((sum, delay) => sum + delay, 0);
  if (totalMs > maxRetryMs) failIf([fault('retry.delays', 'must be at most 7 days together')]);
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

const problemIn = (field: string, result: object | Problem): readonly Fault[] =>
  'message' in result ? [fault([field, result.path].filter(Boolean).join('.'), result.message)] : [];

/** Returns the filter as it is stored. */
export function filterText(filter: unknown): string | null {
  if (filter === null) return null;
  failIf(problemIn('filter', parseFilter(filter)));
  return JSON.stringify(filter);
}

/** The other kinds have a text template, except e-mail, which has none. */
const hasDocumentTemplate = (kind: KindName): boolean => kind === 'webhook' || kind === 'google_sheets';

export function templateText(kind: KindName, template: unknown): string | null {
  if (template === null) return null;
  if (kind === 'email') failIf([fault('template', `is not available for destinations of kind ${kind}`)]);
  else if (hasDocumentTemplate(kind)) failIf(problemIn('template', parseDocument(template)));
  else if (typeof template !== 'string') failIf([fault('template', 'must be text')]);
  else failIf(problemIn('template', parseText(template)));
  return JSON.stringify(template);
}
