/** How long one page takes over HTTP, of the plain list and of a search, at any position in a long list. */

import { commonWord, frequentWord, rareHits, rareWord } from '../data/seed-rows.mjs';
import { median, quantile, round } from '../numbers.mjs';
import { api, apiKey } from '../servers/processes.mjs';

const limit = 25;
const lastPages = 4;

/** Sends requests one after the other over one keep-alive connection, like a user paging through the list. */
async function timed(server, path, requests) {
  const warmUpRequests = Math.ceil(requests / 10);
  const took = [];
  for (let i = 0; i < requests + warmUpRequests; i += 1) {
    const startedAt = performance.now();
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${apiKey}` } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    if (i >= warmUpRequests) took.push(performance.now() - startedAt);
  }
  return {
    p50Ms: round(median(took)),
    p99Ms: round(quantile(took, 0.99)),
    maxMs: round(Math.max(...took)),
    requests,
  };
}

/** The path of the last page: starts at a time that leaves a few pages, and follows the list's own cursors. */
async function lastPage(server, list, { oldestAt }) {
  const until = new Date(oldestAt + lastPages * limit * 1_000).toISOString();
  let path = `${list}&until=${until}`;
  for (let pages = 0; pages < 2 * lastPages; pages += 1) {
    const { next_cursor: next } = await api(server, 'GET', path);
    if (next === null) return path;
    path = `${list}&cursor=${next}`;
  }
  throw new Error('the list does not end');
}

/** Checks that this is the seeded form, by its counter and by the number of hits for the rare word. */
async function check(server, { form, rows }) {
  const { data } = await api(server, 'GET', `/api/v1/projects/${form.projectId}/forms`);
  if (data[0].submissions_count !== rows)
    throw new Error(`submissions_count is ${data[0].submissions_count}, not ${rows}`);
  const found = await api(server, 'GET', `/api/v1/forms/${form.formId}/submissions?limit=100&q=${rareWord}`);
  if (found.data.length !== rareHits(rows))
    throw new Error(`found ${found.data.length} times, not ${rareHits(rows)}`);
}

/** Pages marked true have a goal: those that a user sees who opens a form, pages to its end, or searches it. */
export const pageNames = {
  'list, first page': true,
  'list, middle page': true,
  'list, last page': true,
  'search, rare word': true,
  'search, word of every row': true,
  'search, beginning of a word of its own in every row': true,
  'search, word of every row, middle page': true,
  'search, common and rare word': true,
  'search, two common words': true,
  'search, word of every row, one day': false,
  'project, first page': false,
  'form list with counts': false,
};

export async function measurePages(server, folder, requests) {
  const { form, oldestAt, newestAt } = folder;
  await check(server, folder);
  const byForm = `/api/v1/forms/${form.formId}/submissions?limit=${limit}`;
  const middleAt = (oldestAt + newestAt) / 2;
  const time = (at) => new Date(at).toISOString();
  const day = `since=${time(middleAt - 86_400_000)}&until=${time(middleAt)}`;
  // A position in the middle of the hits: a cursor from the search itself.
  const search = `${byForm}&q=${commonWord}`;
  const { next_cursor: inMiddle } = await api(server, 'GET', `${search}&until=${time(middleAt)}`);
  const paths = {
    'list, first page': byForm,
    'list, middle page': `${byForm}&until=${time(middleAt)}`,
    'list, last page': await lastPage(server, byForm, folder),
    'search, rare word': `${byForm}&q=${rareWord}`,
    'search, word of every row': search,
    'search, beginning of a word of its own in every row': `${byForm}&q=visitor`,
    'search, word of every row, middle page': `${search}&cursor=${inMiddle}`,
    'search, common and rare word': `${search}%20${rareWord}`,
    'search, two common words': `${search}%20${frequentWord}`,
    'search, word of every row, one day': `${search}&${day}`,
    'project, first page': `/api/v1/projects/${form.projectId}/submissions?limit=${limit}`,
    'form list with counts': `/api/v1/projects/${form.projectId}/forms`,
  };
  const measurements = {};
  for (const name of Object.keys(pageNames)) measurements[name] = await timed(server, paths[name], requests);
  return measurements;
}
