import { expect, it } from 'vitest';
import type { AuditEntry } from '../../wire.js';
import { objectNameOf } from './object-name.js';

const entryOf = (kind: string, more: Partial<AuditEntry> = {}, name: string | null = null): AuditEntry => ({
  ...{ seq: 1, at: '2026-11-19T00:00:00.000Z', action: 'submissions.listed' },
  actor: { kind: 'user', id: 'u1', name: 'ada@example.com' },
  ...{
    address: null,
    user_agent: null,
    before: null,
    after: null,
    is_redacted: false,
    previous_hash: 'g',
    hash: 'h',
  },
  object: { kind, id: 'id1', name },
  ...more,
});

it.each<
  [says: string, entry: AuditEntry, nameNow: string | null, isEachKnown: boolean, wanted: object | null]
>([
  [
    'the name that was recorded',
    entryOf('form', {}, 'Contact'),
    'Enquiries',
    true,
    { text: 'Contact', hasId: false, path: '/forms/id1' },
  ],
  [
    'the name now',
    entryOf('form'),
    'Enquiries',
    true,
    { text: 'Enquiries', hasId: false, path: '/forms/id1' },
  ],
  [
    'what the change knows',
    entryOf('user', { action: 'user.deleted', before: { email: 'ada@example.com' } }),
    null,
    true,
    { text: 'ada@example.com', hasId: false, path: null },
  ],
  [
    'that a form was deleted',
    entryOf('form'),
    null,
    true,
    { text: 'a form that was deleted', hasId: true, path: null },
  ],
  [
    'that a project was deleted',
    entryOf('project'),
    null,
    true,
    { text: 'a project that was deleted', hasId: true, path: null },
  ],
  [
    'no such thing before all names are known',
    entryOf('form'),
    null,
    false,
    { text: 'a form', hasId: true, path: '/forms/id1' },
  ],
  [
    'the kind, with its page',
    entryOf('submission', { action: 'submission.viewed' }),
    null,
    true,
    { text: 'a submission', hasId: true, path: '/submissions/id1' },
  ],
  [
    'no page of a submission that was deleted',
    entryOf('submission', { action: 'submission.deleted' }),
    null,
    true,
    { text: 'a submission that was deleted', hasId: true, path: null },
  ],
  [
    'a kind of a later release in its own word',
    entryOf('new_thing'),
    null,
    true,
    { text: 'new thing', hasId: true, path: null },
  ],
  ['nothing of the account', entryOf('account'), null, true, null],
  [
    'nothing of many',
    entryOf('submissions', { object: { kind: 'submissions', id: null, name: null } }),
    null,
    true,
    null,
  ],
])('says %s', (_, entry, nameNow, isEachKnown, wanted) => {
  expect(objectNameOf(entry, nameNow, isEachKnown)).toEqual(wanted);
});
