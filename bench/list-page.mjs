/** Figure: how long one page of a long list takes over HTTP; the last page should cost what the first does. */
import { mebibytes, median, progress, quantile, round } from './numbers.mjs';
import { api, apiKey, startInlet, untilIdle } from './processes.mjs';
import { commonWord, rareRows, rareWord } from './seed.mjs';

const goalMs = 10;
const limit = 25;
const lastPages = 40;

/** One after the other over one kept connection, as one person who pages through. */
async function timed(server, paths, requests) {
  const took = [];
  for (let i = 0; i < requests + 10; i += 1) {
    const startedAt = performance.now();
    const response = await fetch(server.url + paths[i % paths.length], {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${paths[i % paths.length]}: ${response.status}`);
    if (i >= 10) took.push(performance.now() - startedAt);
  }
  return {
    p50Ms: round(median(took)),
    p99Ms: round(quantile(took, 0.99)),
    maxMs: round(Math.max(...took)),
    requests,
  };
}

/** The pages before the end, by the list's own cursors: from an instant that leaves `lastPages` of them. */
async function walkToTheEnd(server, list, { oldestAt }) {
  const until = new Date(oldestAt + lastPages * limit * 1_000).toISOString();
  const paths = [];
  let page = await api(server, 'GET', `${list}&until=${until}`);
  while (page.next_cursor !== null) {
    paths.push(`${list}&cursor=${page.next_cursor}`);
    page = await api(server, 'GET', paths.at(-1));
  }
  if (paths.length < lastPages - 1) throw new Error(`only ${paths.length} pages before the end`);
  return paths;
}

async function checkTotals(server, { form, rows }) {
  const forms = await api(server, 'GET', `/api/v1/projects/${form.projectId}/forms`);
  if (forms.data[0].submissions_count !== rows) {
    throw new Error(`submissions_count is ${forms.data[0].submissions_count}, not ${rows}`);
  }
  const rare = await api(server, 'GET', `/api/v1/forms/${form.formId}/submissions?limit=100&q=${rareWord}`);
  if (rare.data.length !== rareRows) throw new Error(`found ${rare.data.length}, not ${rareRows}`);
}

export async function run({ quick, seeded }) {
  const data = await seeded();
  const { form, rows, dataDir, oldestAt, newestAt } = data;
  const server = await startInlet(dataDir);
  try {
    await untilIdle(server.pid, 3_000);
    const byForm = `/api/v1/forms/${form.formId}/submissions?limit=${limit}`;
    const byProject = `/api/v1/projects/${form.projectId}/submissions?limit=${limit}`;
    const middle = new Date((oldestAt + newestAt) / 2).toISOString();
    const end = await walkToTheEnd(server, byForm, data);
    const pages = {
      'first page': { paths: [byForm], goal: true },
      'middle page': { paths: [`${byForm}&until=${middle}`] },
      'last page': { paths: [end.at(-1)], goal: true },
      [`last ${end.length} pages`]: { paths: end },
      'project, first page': { paths: [byProject] },
      'search, rare word': { paths: [`${byForm}&q=${rareWord}`] },
      'search, common word': { paths: [`${byForm}&q=${commonWord}`], slow: true },
      'search, both words': { paths: [`${byForm}&q=${commonWord}%20${rareWord}`], slow: true },
      'form list with counts': { paths: [`/api/v1/projects/${form.projectId}/forms`] },
    };
    await checkTotals(server, data);
    const measurements = {};
    for (const [name, { paths, slow }] of Object.entries(pages)) {
      measurements[name] = await timed(server, paths, slow ? (quick ? 10 : 20) : quick ? 100 : 200);
      progress(`list-page: ${name}: p50 ${measurements[name].p50Ms} ms, p99 ${measurements[name].p99Ms} ms`);
    }
    return {
      rows: [
        ...Object.entries(pages).map(([name, { goal }]) => ({
          figure: `list-page of ${rows}, ${name}`,
          value: `p50 ${measurements[name].p50Ms} ms, p99 ${measurements[name].p99Ms} ms`,
          goal: goal ? `< ${goalMs} ms` : '',
          met: goal ? measurements[name].p50Ms < goalMs : null,
        })),
        {
          figure: `list-page of ${rows}, on disk`,
          value: `${mebibytes(data.diskBytes)} MiB, ${round(data.diskBytes / rows, 0)} bytes a row, index included`,
          goal: '',
          met: null,
        },
      ],
      rowCount: rows,
      diskBytes: data.diskBytes,
      seededMs: round(data.seededMs, 0),
      indexedMs: round(data.indexedMs, 0),
      measurements,
    };
  } finally {
    await server.end();
  }
}
