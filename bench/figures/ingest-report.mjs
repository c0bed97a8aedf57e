/** The report of `ingest`: rows with goals, a table of all measurements, and charts. */
import { median, round } from '../numbers.mjs';

export const goals = { ofBare: 0.7, p99OverP50: 5, overBestPeer: 3 };

/** Without multipart: the cost of syncing a file is the disk's, for every server, and the goals are about the program. */
const heldToGoals = ['json', 'urlencoded'];
const titles = { json: 'JSON', urlencoded: 'urlencoded', multipart: 'multipart with a file of 100 kB' };

const row = (figure, value, goal = '', met = null) => ({ figure: `ingest, ${figure}`, value, goal, met });

function ofBareRow(cell, name, isHeld) {
  const { inlet, bare } = cell.servers;
  const value =
    `${cell.ratio} of bare node:http (${inlet.perSecond}/s of ${bare.perSecond}/s); ` +
    `CPU ${inlet.cpuUsPerRequest} µs of ${bare.cpuUsPerRequest} µs; ${inlet.averageBatch} in a commit`;
  return row(name, value, isHeld ? `>= ${goals.ofBare}` : '', isHeld ? cell.ratio >= goals.ofBare : null);
}

function latencyRow(cell, name, isHeld) {
  const { inlet } = cell.servers;
  const ratio = round(median(cell.raw.inlet.map((one) => one.p99Ms / one.p50Ms)), 1);
  const value = `p99 ${ratio} times p50 (p50 ${inlet.p50Ms} ms, p99 ${inlet.p99Ms} ms, p99.9 ${inlet.p999Ms} ms)`;
  const goal = goals.p99OverP50;
  return row(`${name}, latency`, value, isHeld ? `< ${goal} times` : '', isHeld ? ratio < goal : null);
}

function peerRow(cell, name, isHeld, peers, labels) {
  const ran = peers.filter(({ key }) => cell.servers[key]);
  const absent = peers
    .filter(({ why }) => why)
    .map(({ label, why }) => `${label} did not run: ${why}`)
    .join('; ');
  if (ran.length === 0) return row(`${name}, beside peers`, absent || 'no peer takes this');
  const best = ran
    .map(({ key }) => ({ key, perSecond: cell.servers[key].perSecond }))
    .sort((a, b) => b.perSecond - a.perSecond)[0];
  const ratio = round(
    median(cell.raw.inlet.map((one, i) => one.perSecond / cell.raw[best.key][i].perSecond)),
    1,
  );
  const others = ran
    .filter(({ key }) => key !== best.key)
    .map(({ key }) => `; ${labels[key]} ${cell.servers[key].perSecond}/s`)
    .join('');
  const value =
    `${ratio} times ${labels[best.key]} (${cell.servers.inlet.perSecond}/s, ${best.perSecond}/s)` +
    others +
    (absent ? `; ${absent}` : '');
  const goal = goals.overBestPeer;
  return row(`${name}, beside peers`, value, isHeld ? `>= ${goal} times` : '', isHeld ? ratio >= goal : null);
}

function floorRows({ cells, floors, goalConnections }) {
  const rateOf = (format) =>
    cells.find((one) => one.format === format && one.connections === goalConnections)?.servers.inlet
      .perSecond;
  const [json, multipart] = [rateOf('json'), rateOf('multipart')];
  return [
    row(
      'bare SQLite inserts of the same row',
      `${floors.oneByOne}/s one by one, ${floors.by64}/s by 64; Inlet's JSON is ${round(json / floors.by64, 2)} of the latter`,
    ),
    row(
      'bare files of 100 kB, written and synced',
      `${floors.files}/s; Inlet's multipart is ${round(multipart / floors.files, 2)} of it`,
    ),
  ];
}

function tableOf(cells, labels) {
  const rows = cells.flatMap(({ format, connections, servers }) =>
    Object.entries(servers).map(([key, found]) => [
      format,
      connections,
      labels[key],
      found.perSecond,
      found.p50Ms,
      found.p99Ms,
      found.p999Ms,
      found.cpuUsPerRequest,
    ]),
  );
  const columns = ['Format', 'Connections', 'Server', 'Requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'CPU µs'];
  return { title: 'Medians of the rounds', columns, rows };
}

function linesOf(cells, labels, key) {
  const servers = Object.keys(labels).filter((server) => cells.some((cell) => cell.servers[server]));
  return servers.map((server) => ({
    label: labels[server],
    points: cells
      .filter((cell) => cell.servers[server])
      .map((cell) => [cell.connections, cell.servers[server][key]]),
  }));
}

/** Two per format. A run with only one number of connections has no line to draw. */
function plotsOf(cells, labels) {
  return Object.entries(titles).flatMap(([format, title]) => {
    const these = cells.filter((cell) => cell.format === format);
    if (these.length < 2) return [];
    const x = { label: 'connections', log: true };
    return [
      {
        name: `ingest-${format}-rate`,
        title: `Submissions a second, ${title}`,
        x,
        y: { label: 'requests a second' },
        lines: linesOf(these, labels, 'perSecond'),
      },
      {
        name: `ingest-${format}-p99`,
        title: `Latency, 99th percentile, ${title}`,
        x,
        y: { label: 'milliseconds', log: true },
        lines: linesOf(these, labels, 'p99Ms'),
      },
    ];
  });
}

const sustainedRow = (sustained, bare, connections) =>
  row(
    `JSON, ${connections} connections, sustained with indexing`,
    `${round(sustained.perSecond / bare.perSecond, 3)} of bare node:http (${sustained.perSecond}/s); ` +
      `p50 ${sustained.p50Ms} ms, p99 ${sustained.p99Ms} ms, p99.9 ${sustained.p999Ms} ms`,
  );

export function reportOf({ cells, sustained, floors, peers, labels, goalConnections }) {
  const held = cells.filter(({ connections }) => connections === goalConnections);
  const rows = held.flatMap((cell) => {
    const name = `${titles[cell.format]}, ${cell.connections} connections`;
    const isHeld = heldToGoals.includes(cell.format);
    return [
      ofBareRow(cell, name, isHeld),
      latencyRow(cell, name, isHeld),
      peerRow(cell, name, isHeld, peers, labels),
    ];
  });
  const bare = held.find(({ format }) => format === 'json').servers.bare;
  if (sustained) rows.push(sustainedRow(sustained, bare, goalConnections));
  rows.push(...floorRows({ cells, floors, goalConnections }));
  return { rows, tables: [tableOf(cells, labels)], plots: plotsOf(cells, labels), peers };
}
