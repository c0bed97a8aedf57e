import { describe, expect, it } from 'vitest';
import { createDiscord } from '../../src/adapters/destinations/discord.js';
import { activeInDiscord, discordPath, startDiscord } from '../support/fakes/discord.js';
import { anEvent, dashboardLink } from '../support/submission-event.js';
import {
  described,
  destinationKindContract,
  type KindHarness,
  kindRig,
  overHttp,
} from './destination-kind.js';

const harness: KindHarness<'discord'> = {
  ...overHttp,
  start: startDiscord,
  make: ({ calls }) => createDiscord({ calls }),
  destination: (origin) => ({ ...described, kind: 'discord', config: { url: `${origin}${discordPath}` } }),
  secrets: ['112233445566778899', 'Tok-en_0123456789abcdefghijklmnopqrstuvwxyz'],
  limited: {
    status: 429,
    body: '{"message":"You are being rate limited.","retry_after":6.2,"global":false}',
  },
  active: activeInDiscord,
  hasTextTemplates: true,
};

destinationKindContract('discord', harness);

describe('a message to Discord', () => {
  const rig = kindRig(harness);
  const { send, sentBody } = rig;

  it('shows the form, the fields, the files and the submission', async () => {
    await send(anEvent({ fields: { name: 'Ada', note: '@everyone *x*' }, filenames: ['a.png'] }));
    expect(JSON.parse(sentBody())).toEqual({
      embeds: [
        {
          title: 'Contact',
          footer: { text: 'Website' },
          timestamp: '2026-11-15T04:02:00.000Z',
          fields: [
            { name: 'name', value: 'Ada' },
            { name: 'note', value: '\\@everyone \\*x\\*' },
            {
              name: 'Files',
              value: expect.stringMatching(/^\[a\\\.png\]\(https:\/\/inlet\S+\) \(1\.2 kB\)$/),
            },
            { name: '\u200b', value: `[Open submission](${dashboardLink})` },
          ],
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it('says what it does not show', async () => {
    const fields = Object.fromEntries(Array.from({ length: 23 }, (_, n) => [`f${n}`, 'x']));
    await send(anEvent({ fields, filenames: Array.from({ length: 31 }, () => 'photo.png') }));
    const [{ fields: shown }] = JSON.parse(sentBody()).embeds;
    const links = JSON.stringify(shown).split('photo').length - 1;
    expect(shown.at(-2).value).toBe(`Not shown: 3 more fields and ${31 - links} more files`);
  });

  it('keeps the markup of the template, and takes the marks from values', async () => {
    await send(anEvent({ fields: { a: '[x](https://evil.example)' }, template: '**New lead:** {}' }));
    expect(JSON.parse(sentBody()).embeds[0].description).toBe(
      '**New lead:** \\[x\\]\\(https\\://evil\\.example\\)',
    );
  });

  it.each([
    [404, '{"message":"Unknown Webhook","code":10015}', 'gone', /^gone: Discord responded: Unknown Webhook/],
    [404, '{"message":"404: Not Found","code":0}', 'failed', /^http_4xx: Discord responded: 404/],
    [401, '{"message":"Invalid Webhook Token","code":50027}', 'failed', /Invalid Webhook Token$/],
    [400, '{"message":"Invalid Form Body","code":50035}', 'rejected', /Invalid Form Body$/],
    [400, '{"message":"Needs a thread_name","code":220001}', 'failed', /thread_name$/],
  ])('that is answered with %i %s', async (status, body, end, error) => {
    rig.provider.behave({ status, body });
    expect(await send()).toMatchObject({ end, error: expect.stringMatching(error), retryAfterMs: null });
  });
});
