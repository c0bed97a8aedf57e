import { describe, expect, it } from 'vitest';
import type { KindAndConfig } from '../../model/destination.js';
import { emailSettings } from '../../model/email-settings.js';
import { headersToRepeat, mergedConfig, shownConfig } from './shown-config.js';

const webhook: Extract<KindAndConfig, { kind: 'webhook' }> = {
  kind: 'webhook',
  config: {
    url: 'https://example.com/hook?a=1',
    method: 'PUT',
    headers: { 'X-Team': 'sales', Authorization: 'Bearer 1', 'x-api-key': '2' },
    secret: 'whsec_1',
    content_type: 'application/json',
  },
};
const chat = (url: string): KindAndConfig => ({ kind: 'slack', config: { url } });
const telegram: KindAndConfig = { kind: 'telegram', config: { token: '123:abc', chat_id: '-1' } };
const sheet: KindAndConfig = {
  kind: 'google_sheets',
  config: { credentials: '{"private_key":"x"}', spreadsheet_id: 'id', sheet: 'Sheet1' },
};
const email = {
  kind: 'email',
  config: { to: ['a@example.com'], cc: [], bcc: [] },
} as const satisfies KindAndConfig;
const complete: KindAndConfig = { kind: 'email', config: emailSettings(email.config) };

describe('shownConfig', () => {
  it('leaves the secrets of every kind out', () => {
    const { secret: _, headers: __, ...shown } = webhook.config;
    expect(shownConfig(webhook)).toEqual({
      ...shown,
      headers: { 'X-Team': 'sales', Authorization: null, 'x-api-key': null },
    });
    expect(shownConfig(telegram)).toEqual({ chat_id: '-1' });
    expect(shownConfig(sheet)).toEqual({ spreadsheet_id: 'id', sheet: 'Sheet1' });
    expect(shownConfig(email)).toEqual(emailSettings(email.config));
  });

  it.each([
    'authorization',
    'Proxy-Auth',
    'Cookie',
    'X-Auth-Token',
    'apikey',
    'X-KEY-ID',
    'client-secret',
    'Password',
    'x-hub-signature-256',
  ])('takes the value of %s for a credential', (name) => {
    const config = { ...webhook.config, headers: { [name]: 'hidden' } };
    expect(JSON.stringify(shownConfig({ kind: 'webhook', config }))).not.toContain('hidden');
  });

  it.each([
    ['https://hooks.slack.com/services/T0/B0/xyz', 'https://hooks.slack.com/services/…'],
    ['https://discord.com/api/webhooks/1/xyz?wait=true', 'https://discord.com/api/…'],
    ['https://a.example.com:8443/workflows/1?sig=xyz', 'https://a.example.com:8443/workflows/…'],
    ['http://127.0.0.1:3000/xyz', 'http://127.0.0.1:3000/…'],
    ['http://127.0.0.1:3000/xyz/', 'http://127.0.0.1:3000/…'],
    ['http://127.0.0.1:3000/?xyz', 'http://127.0.0.1:3000/…'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/…'],
  ])('shows of %s only where it goes', (url, shown) => {
    expect(shownConfig(chat(url))).toEqual({ url: shown });
  });
});

describe('headersToRepeat', () => {
  const elsewhere = 'https://elsewhere.example.com/hook';

  it('names the credentials that would go to another host unseen', () => {
    expect(headersToRepeat(webhook, { url: elsewhere })).toEqual(['Authorization', 'x-api-key']);
    expect(
      headersToRepeat(webhook, { url: elsewhere, headers: { authorization: null, 'X-Team': null } }),
    ).toEqual(['authorization']);
  });

  it.each([
    {},
    { headers: { Authorization: null } },
    { url: new URL('/other', webhook.config.url).href },
    { url: elsewhere, headers: { Authorization: 'Bearer 2' } },
    { url: elsewhere, headers: {} },
    { url: 'no address' },
    { url: null },
  ])('names none for %j', (patch) => {
    expect(headersToRepeat(webhook, patch)).toEqual([]);
  });

  it('names none of other kinds', () => {
    expect(headersToRepeat(chat('https://a.example.com/x/y'), { url: elsewhere })).toEqual([]);
  });
});

describe('mergedConfig', () => {
  it.each([webhook, chat('https://hooks.slack.com/services/T0/B0/xyz'), telegram, sheet, complete])(
    'keeps all of a $kind that comes back as it was shown, and of one that is not mentioned',
    (stored) => {
      expect(mergedConfig(stored, shownConfig(stored))).toEqual(stored.config);
      expect(mergedConfig(stored, {})).toEqual(stored.config);
    },
  );

  it('takes what is new, key by key', () => {
    expect(mergedConfig(webhook, { url: 'https://example.com/other', secret: null })).toEqual({
      ...webhook.config,
      url: 'https://example.com/other',
      secret: null,
    });
    expect(mergedConfig(telegram, { chat_id: '@team' })).toEqual({ token: '123:abc', chat_id: '@team' });
    expect(mergedConfig(chat('https://a.example.com/x/y'), { url: 'https://a.example.com/x/z' })).toEqual({
      url: 'https://a.example.com/x/z',
    });
  });

  it('takes the headers as a whole, and those that are null from what is stored, in any case', () => {
    const headers = { 'X-New': '1', authorization: null, 'X-Unknown': null };
    expect(mergedConfig(webhook, { headers })).toMatchObject({
      headers: { 'X-New': '1', authorization: 'Bearer 1', 'X-Unknown': null },
    });
    expect(mergedConfig(webhook, { headers: {} })).toMatchObject({ headers: {} });
  });

  it.each([null, 7, 'text', [null]])('leaves %j in place of headers to who checks it', (headers) => {
    expect(mergedConfig(webhook, { headers })).toMatchObject({ headers });
  });

  it('is no way to a prototype', () => {
    const merged = mergedConfig(webhook, JSON.parse('{"headers":{"__proto__":"x","constructor":null}}'));
    expect(JSON.stringify(merged)).toContain('"headers":{"__proto__":"x","constructor":null}');
  });
});
