import { describe, expect, it } from 'vitest';
import { createTeams } from '../../src/adapters/destinations/teams.js';
import { activeInTeams, startTeams, teamsPath } from '../support/fakes/teams.js';
import { anEvent, dashboardLink } from '../support/submission-event.js';
import {
  described,
  destinationKindContract,
  type KindHarness,
  kindRig,
  overHttp,
} from './destination-kind.js';

const harness: KindHarness<'teams'> = {
  ...overHttp,
  start: startTeams,
  make: ({ calls }) => createTeams({ calls }),
  destination: (origin) => ({ ...described, kind: 'teams', config: { url: `${origin}${teamsPath}` } }),
  secrets: ['Sig-nature_0123456789abcdefghijklmnopqrstuv', '0123456789abcdef0123456789abcdef'],
  active: activeInTeams,
  hasTextTemplates: true,
};

destinationKindContract('teams', harness);

describe('a message to Teams', () => {
  const rig = kindRig(harness);
  const { send, sentBody } = rig;

  it('shows the form, the fields, the files and the submission', async () => {
    await send(anEvent({ fields: { note: 'one *x*\n\ntwo' }, filenames: ['a.png'] }));
    const block = (spacing: string, ...inlines: readonly object[]) => ({
      type: 'RichTextBlock',
      spacing,
      inlines: inlines.map((inline) => ({ type: 'TextRun', ...inline })),
    });
    const { body, actions } = JSON.parse(sentBody()).attachments[0].content;
    expect(body).toEqual([
      block('default', { text: 'Contact', size: 'large', weight: 'bolder' }),
      block('none', { text: 'Website · 15 November 2026, 04:02 UTC', size: 'small', isSubtle: true }),
      block('medium', { text: 'note', weight: 'bolder' }),
      block('none', { text: 'one *x*' }),
      block('none', { text: 'two' }),
      block(
        'default',
        { text: 'a.png', selectAction: { type: 'Action.OpenUrl', url: expect.stringContaining('/f/') } },
        { text: ' (1.2 kB)' },
      ),
    ]);
    expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Open submission', url: dashboardLink }]);
  });

  it('keeps the markup of the template, and takes the marks from values', async () => {
    await send(anEvent({ fields: { a: '*x*\ny' }, template: '**New lead:** {}' }));
    expect(JSON.parse(sentBody()).attachments[0].content.body).toEqual([
      { type: 'TextBlock', text: '**New lead:** \\*x\\*\n\ny', wrap: true },
    ]);
  });

  it.each([
    [200, '1', 'succeeded', null],
    [202, '', 'succeeded', null],
    [
      200,
      'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId …',
      'failed',
      expect.stringMatching(/^http_4xx: Webhook message delivery failed .*429/),
    ],
    [
      404,
      '{"error":{"code":"WorkflowNotFound","message":"The workflow could not be found."}}',
      'failed',
      'http_4xx: Teams responded: The workflow could not be found.',
    ],
    [413, '', 'rejected', 'http_4xx: The message is too large for Teams'],
    [410, '', 'gone', expect.stringMatching(/^gone: /)],
  ])('that is answered with %i %s', async (status, body, end, error) => {
    rig.provider.behave({ status, body });
    expect(await send()).toMatchObject({ end, error });
  });
});
