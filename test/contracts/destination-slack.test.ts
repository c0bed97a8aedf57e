import { describe, expect, it } from 'vitest';
import { createSlack } from '../../src/adapters/destinations/slack.js';
import { activeInSlack, slackPath, startSlack } from '../support/fakes/slack.js';
import { anEvent, dashboardLink } from '../support/submission-event.js';
import {
  described,
  destinationKindContract,
  type KindHarness,
  kindRig,
  overHttp,
} from './destination-kind.js';

const harness: KindHarness<'slack'> = {
  ...overHttp,
  start: startSlack,
  make: ({ calls }) => createSlack({ calls }),
  destination: (origin) => ({ ...described, kind: 'slack', config: { url: `${origin}${slackPath}` } }),
  secrets: ['T0123ABCD/B0456EFGH', 'abcdefghijklmnopqrstuvwx'],
  active: activeInSlack,
  hasTextTemplates: true,
};

destinationKindContract('slack', harness);

describe('a message to Slack', () => {
  const rig = kindRig(harness);
  const { send, sentBody } = rig;

  it('shows the form, the fields, the files and the submission', async () => {
    await send(anEvent({ fields: { name: 'Ada', note: '<!here> *x*' }, filenames: ['a.png'] }));
    const text = (content: string, style = {}) => ({
      type: 'text',
      text: content,
      style: { ...style, unlink: true },
    });
    const block = (...elements: readonly object[]) => ({
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements }],
    });
    expect(JSON.parse(sentBody())).toEqual({
      text: 'New submission: Contact',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Contact', emoji: false } },
        {
          type: 'context',
          elements: [{ type: 'plain_text', text: 'Website · 15 November 2026, 04:02 UTC', emoji: false }],
        },
        block(text('name\n', { bold: true }), text('Ada')),
        block(text('note\n', { bold: true }), text('<!here> *x*')),
        block(
          { type: 'link', url: expect.stringContaining('https://inlet.example/f/'), text: 'a.png' },
          text(' (1.2 kB)'),
        ),
        block({ type: 'link', url: dashboardLink, text: 'Open submission' }),
      ],
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it('keeps the markup of the template, and takes the marks from values', async () => {
    const template = '*New lead:* {} <https://crm.example|CRM>';
    await send(anEvent({ fields: { a: '<!here> *x* _y_ john_doe@example.org' }, template }));
    expect(JSON.parse(sentBody()).blocks[0]).toEqual({
      type: 'section',
      text: {
        type: 'mrkdwn',
        text: '*New lead:* &lt;!here&gt; ∗x∗ ˍyˍ john_doe@example.org <https://crm.example|CRM>',
        verbatim: true,
      },
    });
  });

  it.each([
    [400, 'invalid_payload', 'rejected', /^http_4xx: Slack rejected the message: invalid_payload$/],
    [400, 'user_not_found', 'failed', /^http_4xx$/],
    [403, 'action_prohibited', 'failed', /^http_4xx: Slack responded action_prohibited: an administrator/],
    [404, 'no_service', 'failed', /^http_4xx: Slack responded no_service: the webhook was removed/],
    [410, 'channel_is_archived', 'gone', /^gone: Slack responded channel_is_archived/],
    [410, 'constructor', 'gone', /^gone: /],
    [500, 'rollup_error', 'failed', /^http_5xx$/],
  ])('that is answered with %i %s', async (status, body, end, error) => {
    rig.provider.behave({ status, body });
    expect(await send()).toMatchObject({ end, error: expect.stringMatching(error) });
  });
});
