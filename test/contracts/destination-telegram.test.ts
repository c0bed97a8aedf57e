import { describe, expect, it } from 'vitest';
import { createTelegram } from '../../src/adapters/destinations/telegram.js';
import { activeInTelegram, startTelegram, telegramToken } from '../support/fakes/telegram.js';
import { anEvent, dashboardLink } from '../support/submission-event.js';
import {
  described,
  destinationKindContract,
  type KindHarness,
  kindRig,
  overHttp,
} from './destination-kind.js';

const harness: KindHarness<'telegram'> = {
  ...overHttp,
  start: startTelegram,
  make: ({ calls, origin }) => createTelegram({ calls, apiUrl: `${origin}/` }),
  destination: () => ({
    ...described,
    kind: 'telegram',
    config: { token: telegramToken, chat_id: '-1001234567890' },
  }),
  secrets: [telegramToken, telegramToken.slice(10)],
  limited: {
    status: 429,
    body: '{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":7}}',
  },
  active: activeInTelegram,
  hasTextTemplates: true,
};

destinationKindContract('telegram', harness);

describe('a message to Telegram', () => {
  const rig = kindRig(harness);
  const { send, sentBody } = rig;

  it('shows the form, the fields, the files and the submission', async () => {
    await send(anEvent({ fields: { 'a.b': '<b>@x</b>' }, filenames: ['a.png'] }));
    expect(JSON.parse(sentBody())).toEqual({
      chat_id: '-1001234567890',
      text: expect.stringMatching(
        /^<b>Contact<\/b>\nWebsite · .*\n\n<b>a\.\u2060b<\/b>\n<code>&lt;b&gt;@x&lt;\/b&gt;<\/code>\n\n<a href="[^"]*\/f\/[^"]*">a\.png<\/a> \(1\.2 kB\)\n\n<a href="[^"]*">Open submission<\/a>$/,
      ),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    });
  });

  it('keeps the markup of the template, and shows values as code', async () => {
    await send(anEvent({ fields: { a: '<i>x</i>' }, template: '<b>New lead:</b> {} <script>' }));
    expect(JSON.parse(sentBody()).text).toBe(
      '<b>New lead:</b> <code>&lt;i&gt;x&lt;/i&gt;</code> &lt;script&gt;\n\n' +
        `<a href="${dashboardLink}">Open submission</a>`,
    );
  });

  it('goes to the current chat', async () => {
    const [prepared] = rig.kind.prepare(anEvent(), rig.destination);
    expect(prepared?.address).toBe('-1001234567890');
    expect(prepared?.body).not.toContain('-1001234567890');
  });

  it.each([
    [401, { description: 'Unauthorized' }, 'failed', 'http_4xx: Telegram responded: Unauthorized'],
    [400, { description: 'Bad Request: chat not found' }, 'failed', /chat not found$/],
    [400, { description: "Bad Request: can't parse entities: x" }, 'rejected', /^http_4xx: Telegram/],
    [400, { description: 'Bad Request: message is too long' }, 'rejected', /^http_4xx: Telegram/],
    [403, { description: 'Forbidden: bot was blocked by the user' }, 'failed', /blocked by the user$/],
    [403, { description: 'Forbidden: the group chat was deleted' }, 'gone', /^gone: Telegram responded/],
    [403, { description: 'Forbidden: user is deactivated' }, 'gone', /^gone: Telegram responded/],
    [
      400,
      {
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -1009 },
      },
      'failed',
      /its chat id is now -1009$/,
    ],
  ])('that is answered with %i %j', async (status, said, end, error) => {
    rig.provider.behave({ status, body: JSON.stringify({ ok: false, error_code: status, ...said }) });
    expect(await send()).toMatchObject({ end, error: expect.stringMatching(error), retryAfterMs: null });
  });
});
