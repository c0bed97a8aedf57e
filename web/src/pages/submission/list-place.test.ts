import { expect, it } from 'vitest';
import type { Submission } from '../../wire.js';
import { neighboursQuery, searchOf } from './list-place.js';

const submission: Submission = {
  id: 's',
  data: {},
  files: [],
  form_id: 'f',
  project_id: 'p',
  metadata: { ip: '', user_agent: '', submitted_from: '' },
  created_at: '2026-11-01T00:00:00.000Z',
};
const way = (owner: { formId: string } | { projectId: string }) => ({
  back: '/',
  label: 'x',
  list: { owner, filter: { q: 'a&b=c', webhook_state: 'failed' as const } },
});

it('carries the list through the address', () => {
  const search = searchOf(way({ projectId: 'p' }), submission) ?? '';
  expect(search).toBe('?in=project&q=a%26b%3Dc&webhook_state=failed');
  expect(neighboursQuery(search, submission)).toEqual({
    project_id: 'p',
    q: 'a&b=c',
    webhook_state: 'failed',
  });
});

it('knows no list that the submission is not in', () => {
  expect(searchOf(way({ formId: 'other' }), submission)).toBeNull();
  expect(searchOf(way({ projectId: 'other' }), submission)).toBeNull();
  expect(searchOf({ back: '/', label: 'x', list: null }, submission)).toBeNull();
  expect(searchOf(null, submission)).toBeNull();
});

it.each([
  ['', { form_id: 'f' }],
  ['?in=form&folder=spam', { form_id: 'f', folder: 'spam' }],
  ['?in=account', {}],
])('asks for %j in its own list', (search, query) => {
  expect(neighboursQuery(search, submission)).toEqual(query);
});
