/** How fast a form is exported, and how much the server's memory grows meanwhile. */
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { round } from '../numbers.mjs';
import { apiKey, residentBytes } from '../servers/processes.mjs';

const newLine = 10;

/** How long to wait for the first line. */
const maxSecondsToFirst = (rows) => Math.max(10, rows / 100_000);

/**
 * Reads at full speed, for at most `seconds` after the first bytes; a row is a line. Does not use fetch: an aborted fetch
 * leaves its connection open, and the server waits for it when it stops.
 */
async function download(server, path, seconds, patienceSeconds) {
  const startedAt = performance.now();
  const request = get(server.url + path, { headers: { authorization: `Bearer ${apiKey}` }, agent: false });
  let isGivenUp = false;
  const giveUp = setTimeout(() => {
    isGivenUp = true;
    request.destroy();
  }, patienceSeconds * 1000);
  const got = { firstAt: 0, endedAt: 0, bytes: 0, lines: 0, isWhole: true };
  try {
    const [response] = await once(request, 'response');
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode}`);
    for await (const chunk of response) {
      clearTimeout(giveUp);
      got.firstAt ||= performance.now();
      got.bytes += chunk.length;
      for (let at = chunk.indexOf(newLine); at !== -1; at = chunk.indexOf(newLine, at + 1)) got.lines += 1;
      got.isWhole = performance.now() < got.firstAt + seconds * 1000;
      if (!got.isWhole) break;
    }
    got.endedAt = performance.now();
  } catch (error) {
    if (!isGivenUp) throw error;
    return null;
  } finally {
    clearTimeout(giveUp);
    request.destroy();
  }
  return {
    ...got,
    firstSeconds: (got.firstAt - startedAt) / 1000,
    seconds: (got.endedAt - got.firstAt) / 1000,
  };
}

export async function measureExport(server, { form, rows }, format, seconds) {
  const before = residentBytes(server.pid);
  let highest = before;
  let isRunning = true;
  const sampling = (async () => {
    while (isRunning) {
      highest = Math.max(highest, residentBytes(server.pid));
      await pause(50);
    }
  })();
  const path = `/api/v1/forms/${form.formId}/submissions/export?format=${format}`;
  try {
    const got = await download(server, path, seconds, maxSecondsToFirst(rows));
    if (!got)
      return { isWhole: false, firstSeconds: null, grewBytes: highest - before, highestBytes: highest };
    const exported = got.lines - (format === 'csv' ? 1 : 0);
    if (got.isWhole && exported !== rows) throw new Error(`${format}: ${exported} of ${rows} rows`);
    return {
      rowsPerSecond: round(exported / got.seconds, 0),
      mbPerSecond: round(got.bytes / 1e6 / got.seconds, 1),
      isWhole: got.isWhole,
      exported,
      firstSeconds: round(got.firstSeconds),
      seconds: round(got.seconds),
      grewBytes: highest - before,
      highestBytes: highest,
    };
  } finally {
    isRunning = false;
    await sampling;
  }
}
