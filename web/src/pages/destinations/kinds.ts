/** The kinds of destinations: how each looks, where to find what it needs, and its fields. A new kind is a row here. */
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

interface FieldBasics {
  /** Its name in `config`. */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
}

export type KindField = FieldBasics &
  (
    | {
        readonly input: 'text' | 'url';
        /** A pasted link instead of what it holds. */
        readonly read?: (text: string) => string;
      }
    /** Written and never shown again. `long`: several lines. */
    | { readonly input: 'secret'; readonly isLong?: boolean }
    | { readonly input: 'addresses' }
    | { readonly input: 'choice'; readonly choices: readonly { value: string; label: string }[] }
    | { readonly input: 'headers' }
    | { readonly input: 'signing' }
  );

export interface KindLook {
  readonly title: string;
  readonly icon: TablerIcon;
  /** What it does, in one line. */
  readonly words: string;
  /** Where to find what is asked for. */
  readonly steps: readonly string[];
  readonly fields: readonly KindField[];
  /** What the owner can write instead of the usual message. */
  readonly template: 'json' | 'text' | null;
  readonly addressOf: (config: Destination['config']) => string;
}

const textIn = (config: Destination['config'], key: string): string => {
  const value = config[key];
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '';
};
const urlOf = (config: Destination['config']): string => textIn(config, 'url').replace(/^https?:\/\//, '');

const chat = (title: string, icon: TablerIcon, placeholder: string, steps: readonly string[]): KindLook => ({
  title,
  icon,
  words: 'A message in a channel',
  steps,
  fields: [
    {
      key: 'url',
      input: 'secret',
      label: 'Webhook URL',
      description: `Paste the URL that ${title} gave you. It is a secret: anyone who has it can post there.`,
      placeholder,
    },
  ],
  template: 'text',
  addressOf: urlOf,
});

export const kinds: Readonly<Record<KindName, KindLook>> = {
  webhook: {
    title: 'Webhook',
    icon: IconWebhook,
    words: 'A signed HTTP request to your server',
    steps: [
      'Enter the URL of your endpoint. Respond with a 2xx status within 15 seconds.',
      'Each request is signed with a secret, so your endpoint can verify it.',
    ],
    fields: [
      { key: 'url', input: 'url', label: 'URL', placeholder: 'https://example.com/hooks/inlet' },
      {
        key: 'method',
        input: 'choice',
        label: 'Method',
        choices: [
          { value: 'POST', label: 'POST' },
          { value: 'PUT', label: 'PUT' },
        ],
      },
      {
        key: 'content_type',
        input: 'choice',
        label: 'Format',
        choices: [
          { value: 'application/json', label: 'JSON' },
          { value: 'application/x-www-form-urlencoded', label: 'URL-encoded' },
        ],
      },
      {
        key: 'headers',
        input: 'headers',
        label: 'Headers',
        description:
          'Sent with every request, up to 20. Values that look like credentials are not shown again.',
      },
      { key: 'secret', input: 'signing', label: 'Signing secret' },
    ],
    template: 'json',
    addressOf: urlOf,
  },
  email: {
    title: 'E-mail',
    icon: IconMail,
    words: 'A message to your team',
    steps: ['Enter at least one address. Replies go to the visitor if the form has an e-mail field.'],
    fields: [
      { key: 'to', input: 'addresses', label: 'To', placeholder: 'you@example.com' },
      { key: 'cc', input: 'addresses', label: 'Cc' },
      { key: 'bcc', input: 'addresses', label: 'Bcc', description: 'At most 20 addresses in each list.' },
    ],
    template: null,
    addressOf: (config) =>
      ['to', 'cc', 'bcc']
        .map((key) => textIn(config, key))
        .filter((text) => text !== '')
        .join(', '),
  },
  slack: chat('Slack', IconBrandSlack, 'https://hooks.slack.com/services/…', [
    'Open api.slack.com/apps and create an app for your workspace.',
    'Under Incoming Webhooks, turn them on and choose “Add New Webhook”.',
    'Select the channel, then copy the webhook URL.',
  ]),
  discord: chat('Discord', IconBrandDiscord, 'https://discord.com/api/webhooks/…', [
    'Open the settings of the channel and go to Integrations.',
    'Choose Webhooks, then “New Webhook”.',
    'Choose “Copy Webhook URL”.',
  ]),
  teams: chat('Microsoft Teams', IconBrandTeams, 'https://….logic.azure.com/workflows/…', [
    'Next to the channel, open the ⋯ menu and choose Workflows.',
    'Select “Send webhook alerts to a channel” and save it.',
    'Copy the URL that Teams shows.',
  ]),
  telegram: {
    title: 'Telegram',
    icon: IconBrandTelegram,
    words: 'A message in a chat or channel',
    steps: [
      'Write /newbot to @BotFather and copy the token.',
      'Add the bot to your group or channel, or write to it.',
      'A public channel’s ID is its @name. Any other chat has a number: open api.telegram.org/bot<token>/getUpdates after you have written to the bot.',
    ],
    fields: [
      { key: 'token', input: 'secret', label: 'Bot token', placeholder: '123456:ABC-DEF…' },
      { key: 'chat_id', input: 'text', label: 'Chat ID', placeholder: '-1001234567890 or @channel' },
    ],
    template: 'text',
    addressOf: (config) => `Chat ${textIn(config, 'chat_id')}`,
  },
  google_sheets: {
    title: 'Google Sheets',
    icon: IconTable,
    words: 'A row in a spreadsheet',
    steps: [
      'In the Google Cloud console, enable the Google Sheets API and create a service account.',
      'Create a JSON key for the account and paste the contents of the file.',
      'Share the spreadsheet with the e-mail address of the service account, as an editor.',
    ],
    fields: [
      {
        key: 'credentials',
        input: 'secret',
        isLong: true,
        label: 'Service account key',
        placeholder: '{"type": "service_account", …}',
      },
      {
        key: 'spreadsheet_id',
        input: 'text',
        label: 'Spreadsheet',
        description: 'Its link or its ID.',
        placeholder: 'https://docs.google.com/spreadsheets/d/…',
        read: (text) => /\/spreadsheets\/d\/([\w-]+)/.exec(text)?.[1] ?? text,
      },
      { key: 'sheet', input: 'text', label: 'Sheet', placeholder: 'Sheet1' },
    ],
    template: null,
    addressOf: (config) => `${textIn(config, 'sheet')} in ${textIn(config, 'spreadsheet_id')}`,
  },
};

/** Also for a kind that a newer server knows. */
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
