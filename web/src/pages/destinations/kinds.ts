/** The kinds of destinations: icon, setup steps and fields. A new kind is a new row here. */
import {
  IconBrandDiscord,
  IconBrandSlack,
  IconBrandTeams,
  IconBrandTelegram,
  IconMail,
  IconSend,
  IconTable,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Destination, KindName } from '../../wire.js';
import * as words from '../../words/destination-kinds.js';
import { formatList } from '../../words/format.js';
import * as mailWords from '../../words/mail-editor.js';

interface FieldBasics {
  /** Its key in `config`. */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  /** Belongs to what is sent, not to where. */
  readonly isOfMessage?: boolean;
}

export type KindField = FieldBasics &
  (
    | {
        readonly input: 'text' | 'url';
        /** Extracts the value from a pasted link. */
        readonly read?: (text: string) => string;
      }
    /** Empty: the default. `isLong`: several lines. */
    | { readonly input: 'optional'; readonly isLong?: boolean }
    /** Write-only. `isLong`: several lines. */
    | { readonly input: 'secret'; readonly isLong?: boolean }
    | { readonly input: 'addresses' }
    | { readonly input: 'switch' }
    | {
        readonly input: 'choice';
        readonly choices: readonly { value: string; label: string }[];
        /** Too many choices to show side by side. */
        readonly isList?: boolean;
      }
    /** An e-mail template, with a preview of the result. */
    | { readonly input: 'template'; readonly maxLength: number }
    | { readonly input: 'reply-to' }
    | { readonly input: 'route' }
    | { readonly input: 'digest' }
    | { readonly input: 'headers' }
    | { readonly input: 'signing' }
  );

export interface KindLook {
  readonly title: string;
  readonly icon: TablerIcon;
  /** What it does, in one line. */
  readonly words: string;
  /** How to find the required values. */
  readonly steps: readonly string[];
  readonly fields: readonly KindField[];
  /** The format of a custom message; null: custom messages are not supported. */
  readonly template: 'json' | 'text' | null;
  readonly addressOf: (config: Destination['config']) => string;
}

const textIn = (config: Destination['config'], key: string): string => {
  const value = config[key];
  return Array.isArray(value) ? formatList(value) : typeof value === 'string' ? value : '';
};
const urlOf = (config: Destination['config']): string => textIn(config, 'url').replace(/^https?:\/\//, '');

const chat = (title: string, icon: TablerIcon, placeholder: string, steps: readonly string[]): KindLook => ({
  title,
  icon,
  words: words.channelDescription,
  steps,
  fields: [
    {
      key: 'url',
      input: 'secret',
      label: words.webhookUrl,
      description: words.webhookUrlDescription(title),
      placeholder,
    },
  ],
  template: 'text',
  addressOf: urlOf,
});

export const kinds: Readonly<Record<KindName, KindLook>> = {
  webhook: {
    title: words.webhook,
    icon: IconWebhook,
    words: words.webhookDescription,
    steps: [words.webhookStepUrl, words.webhookStepSigned],
    fields: [
      { key: 'url', input: 'url', label: words.url, placeholder: 'https://example.com/hooks/inlet' },
      {
        key: 'method',
        input: 'choice',
        label: words.method,
        choices: [
          { value: 'POST', label: 'POST' },
          { value: 'PUT', label: 'PUT' },
        ],
      },
      {
        key: 'content_type',
        input: 'choice',
        label: words.format,
        choices: [
          { value: 'application/json', label: 'JSON' },
          { value: 'application/x-www-form-urlencoded', label: words.urlEncoded },
        ],
      },
      {
        key: 'headers',
        input: 'headers',
        label: words.headers,
        description: words.headersDescription,
      },
      { key: 'secret', input: 'signing', label: words.signingSecret },
      {
        key: 'person_erased',
        input: 'switch',
        label: words.personErased,
        description: words.personErasedDescription,
      },
    ],
    template: 'json',
    addressOf: urlOf,
  },
  email: {
    title: words.email,
    icon: IconMail,
    words: words.emailDescription,
    steps: [words.emailStep],
    fields: [
      { key: 'to', input: 'addresses', label: words.emailTo, placeholder: 'you@example.com' },
      { key: 'cc', input: 'addresses', label: words.emailCc },
      { key: 'bcc', input: 'addresses', label: words.emailBcc, description: words.emailBccDescription },
      { key: 'route', input: 'route', label: words.emailRoute, description: words.emailRouteDescription },
      { key: 'digest', input: 'digest', label: words.emailDigest, description: words.emailDigestDescription },
      {
        key: 'subject',
        input: 'template',
        maxLength: 16_384,
        label: words.emailSubject,
        description: words.emailSubjectDescription,
        placeholder: '{{fields.name}}: {{form.name}}',
        isOfMessage: true,
      },
      {
        key: 'text',
        input: 'template',
        maxLength: 16_384,
        label: words.emailText,
        description: words.emailTextDescription,
        isOfMessage: true,
      },
      {
        key: 'html',
        input: 'template',
        maxLength: 16_384,
        label: words.emailHtml,
        description: words.emailHtmlDescription,
        isOfMessage: true,
      },
      {
        key: 'from_name',
        input: 'optional',
        label: words.emailFromName,
        description: words.emailFromNameDescription,
        isOfMessage: true,
      },
      { key: 'reply_to', input: 'reply-to', label: words.emailReplyTo, isOfMessage: true },
      {
        key: 'language',
        input: 'choice',
        label: mailWords.language,
        description: mailWords.languageDescription,
        choices: mailWords.languages,
        isList: true,
        isOfMessage: true,
      },
      {
        key: 'files',
        input: 'choice',
        label: words.emailFiles,
        choices: [
          { value: 'links', label: words.emailFileLinks },
          { value: 'attached', label: words.emailFilesAttached },
        ],
        isOfMessage: true,
      },
    ],
    template: null,
    addressOf: (config) =>
      formatList(['to', 'cc', 'bcc'].map((key) => textIn(config, key)).filter((text) => text !== '')),
  },
  slack: chat('Slack', IconBrandSlack, 'https://hooks.slack.com/services/…', [
    words.slackStepApp,
    words.slackStepOn,
    words.slackStepCopy,
  ]),
  discord: chat('Discord', IconBrandDiscord, 'https://discord.com/api/webhooks/…', [
    words.discordStepSettings,
    words.discordStepNew,
    words.discordStepCopy,
  ]),
  teams: chat('Microsoft Teams', IconBrandTeams, 'https://….logic.azure.com/workflows/…', [
    words.teamsStepMenu,
    words.teamsStepSave,
    words.teamsStepCopy,
  ]),
  telegram: {
    title: 'Telegram',
    icon: IconBrandTelegram,
    words: words.telegramDescription,
    steps: [words.telegramStepBot, words.telegramStepAdd, words.telegramStepId],
    fields: [
      { key: 'token', input: 'secret', label: words.botToken, placeholder: '123456:ABC-DEF…' },
      { key: 'chat_id', input: 'text', label: words.chatId, placeholder: words.chatIdExample },
    ],
    template: 'text',
    addressOf: (config) => words.chatNamed(textIn(config, 'chat_id')),
  },
  google_sheets: {
    title: 'Google Sheets',
    icon: IconTable,
    words: words.sheetsDescription,
    steps: [words.sheetsStepAccount, words.sheetsStepKey, words.sheetsStepShare],
    fields: [
      {
        key: 'credentials',
        input: 'secret',
        isLong: true,
        label: words.serviceAccountKey,
        placeholder: '{"type": "service_account", …}',
      },
      {
        key: 'spreadsheet_id',
        input: 'text',
        label: words.spreadsheet,
        description: words.spreadsheetDescription,
        placeholder: 'https://docs.google.com/spreadsheets/d/…',
        read: (text) => /\/spreadsheets\/d\/([\w-]+)/.exec(text)?.[1] ?? text,
      },
      { key: 'sheet', input: 'text', label: words.sheet, placeholder: words.sheetExample },
    ],
    template: null,
    addressOf: (config) => words.sheetIn(textIn(config, 'sheet'), textIn(config, 'spreadsheet_id')),
  },
};

/** Has a fallback for kinds that only a newer server knows. */
export const lookOf = (kind: KindName): KindLook =>
  kinds[kind] ?? {
    title: kind,
    icon: IconSend,
    words: '',
    steps: [],
    fields: [],
    template: null,
    addressOf: () => '',
  };
