import { describe, expect, it } from 'vitest';
import type { Destination } from '../../wire.js';
import { configOf, creationOf, draftFor, faultsOf, patchOf } from './destination-draft.js';

const stored: Destination = {
  id: '0190-1',
  project_id: '0190-2',
  form_id: null,
  kind: 'webhook',
  name: 'CRM',
  is_active: true,
  built_in: false,
  config: {
    url: 'https://example.com/',
    method: 'PUT',
    headers: { 'X-Team': 'sales', Authorization: null },
    content_type: 'application/json',
  },
  filter: { submission: { data: { topic: 'sales' } } },
  template: { a: '{{fields.a}}' },
  retry: { delays: [60] },
  status: { state: 'ok', failing_since: null, last_success_at: null, last_error: null, waiting: 0 },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

describe('a change of a destination', () => {
  it('sends nothing while nothing was changed', () => {
    expect(patchOf(draftFor('webhook', stored), stored)).toEqual({});
  });

  it('sends what was changed, and keeps headers that are not shown', () => {
    const draft = draftFor('webhook', stored);
    const changed = {
      ...draft,
      name: 'Sales ',
      config: {
        ...draft.config,
        headers: [
          { name: 'X-Team', value: 'support' },
          { name: 'Authorization', value: null },
          { name: ' ', value: 'dropped' },
        ],
        secret: null,
      },
      filter: { mode: 'rows' as const, match: 'all' as const, rows: [] },
      template: { ...draft.template, isOwn: false },
      retry: { ...draft.retry, isOwn: false },
    };
    expect(patchOf(changed, stored)).toEqual({
      name: 'Sales',
      config: { headers: { 'X-Team': 'support', Authorization: null }, secret: null },
      filter: null,
      template: null,
      retry: null,
    });
  });
});

describe('a new destination', () => {
  it('names what was filled in, and leaves the rest to the server', () => {
    const draft = draftFor('slack', null);
    expect(
      creationOf('slack', { ...draft, config: { url: ' https://hooks.slack.com/services/x ' } }),
    ).toEqual({
      kind: 'slack',
      name: 'Slack',
      config: { url: 'https://hooks.slack.com/services/x' },
    });
  });

  it('says what is wrong before the server is asked', () => {
    const draft = draftFor('webhook', null);
    expect(faultsOf('webhook', draft)).toEqual({});
    expect(
      faultsOf('webhook', {
        ...draft,
        name: ' ',
        filter: { mode: 'json', text: '{' },
        template: { isOwn: true, text: '[' },
        retry: { isOwn: true, text: 'soon' },
      }),
    ).toEqual({
      name: 'Give it a name',
      filter: expect.stringContaining('not valid JSON'),
      template: expect.stringContaining('not valid JSON'),
      retry: '"soon" is not a time. Write it like 30 s, 5 min, 2 h or 1 d',
    });
  });
});

describe('an e-mail destination', () => {
  const mail: Destination = {
    ...stored,
    kind: 'email',
    config: {
      ...{ to: ['team@example.com'], cc: [], bcc: [], subject: null, text: 'T', html: null },
      route: { field: 'department', map: { Sales: ['sales@example.com'] }, otherwise: [] },
      digest: null,
    },
    template: null,
  };

  it('is shown as it is stored, and sends nothing while nothing was changed', () => {
    const draft = draftFor('email', mail);
    expect(draft.config).toMatchObject({
      ...{ subject: '', text: 'T', html: '', reply_to: 'visitor', language: 'en', digest: null },
      route: {
        field: 'department',
        rows: [{ value: 'Sales', addresses: ['sales@example.com'] }],
        otherwise: [],
      },
    });
    expect(patchOf(draft, mail)).toEqual({});
  });

  it('sends rows of a route without those that are empty, and templates that were emptied as none', () => {
    const draft = draftFor('email', mail);
    const rows = [
      { value: ' Jobs ', addresses: ['jobs@example.com'] },
      { value: ' ', addresses: ['nobody@example.com'] },
    ];
    const digest = { every: 'week' as const, hour: 8, weekday: 1, time_zone: 'UTC' };
    const config = { ...draft.config, text: '', digest, route: { field: ' topic ', rows, otherwise: [] } };
    expect(patchOf({ ...draft, config }, mail)).toEqual({
      config: {
        text: null,
        digest,
        route: { field: 'topic', map: { Jobs: ['jobs@example.com'] }, otherwise: [] },
      },
    });
    expect(configOf('email', draft)).toMatchObject({ subject: null, text: 'T', reply_to: 'visitor' });
  });
});
