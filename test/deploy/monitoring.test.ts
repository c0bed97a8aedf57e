/** The dashboard and the alerts query what /metrics really serves: an alert on a name that nothing writes would never fire. */
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { errorCatalogue } from '../../src/model/error-catalogue.js';
import { inletJson, until } from '../support/cli.js';
import { client, makeForm, request, submitJson } from '../support/client.js';
import { answer, type MailServer, startMailServer } from '../support/mail-server.js';
import { picture } from '../support/pictures.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { type RunningServer, startServer } from '../support/server.js';
import { parseExposition, parseExpression } from './promql.js';

const file = (name: string): Promise<string> => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly datasource?: { readonly type: string; readonly uid: string };
}
interface Dashboard {
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { name: string; type: string; definition?: string }[] };
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const dashboard: Dashboard = JSON.parse(await file('deploy/grafana-dashboard.json'));
const alerts: { groups: { name: string; rules: Rule[] }[] } = parse(await file('deploy/alerts.yaml'));
const rules = alerts.groups.flatMap((group) => group.rules);
const panels = dashboard.panels.filter((panel) => panel.type !== 'row');
const asked = [
  ...panels.flatMap((panel) =>
    (panel.targets ?? []).map((target) => ({
      where: `panel "${panel.title}"`,
      expr: target.expr,
      shown: target.legendFormat,
    })),
  ),
  ...rules.map((rule) => ({ where: rule.alert, expr: rule.expr, shown: rule.annotations.summary })),
];

let server: RunningServer;
let mails: MailServer;
let receivers: Receiver[] = [];
let live: ReturnType<typeof parseExposition>;

/** Causes some of everything: each outcome that a panel or an alert names, as far as a test can cause it. */
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo({ address }, _session, callback) {
      if (address.startsWith('full')) callback(answer(452, 'mailbox full'));
      else callback(address.startsWith('gone') ? answer(550, 'no such user') : undefined);
    },
  });
  receivers = [await startAnswering({ status: 204 }), await startAnswering({ status: 500 })];
  server = await startServer({
    env: {
      SMTP_URL: mails.url,
      MAIL_FROM: 'forms@example.com',
      INLET_ADMIN_EMAIL: 'ada@example.com',
      INLET_ADMIN_PASSWORD: 'correct horse battery',
    },
  });
  const [good, bad] = receivers.map(({ url }) => `${url}/hook`);
  const refused = await makeForm(server.url, { form: { notify_emails: ['gone@example.com'] } });
  const delayed = await makeForm(server.url, { form: { notify_emails: ['full@example.com'] } });
  const { endpoint } = await makeForm(server.url, {
    project: { webhook_url: bad },
    form: { webhook_url: good, notify_emails: ['you@example.com'] },
  });
  for (const to of [endpoint, refused.endpoint, delayed.endpoint, `${server.url}/f/unknown`]) {
    await submitJson(to, { a: 1 });
  }
  const upload = new FormData();
  upload.set('photo', new Blob([await picture('png', 64, 64)]), 'photo.png');
  const { body } = await request(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: upload,
  });
  for (const _ of [1, 2]) {
    const { headers } = await client(server.url).get(`/api/v1/files/${body.files[0].id}/download?w=32`);
    await fetch(new URL(headers.get('location') ?? '', server.url));
  }
  for (const password of ['wrong password', 'correct horse battery', 'x', 'x', 'x', 'x']) {
    await client(server.url, null).post('/api/v1/session', { email: 'ada@example.com', password });
  }
  const wanted = [
    ['inlet_mails_total', 'sent'],
    ['inlet_mails_total', 'delayed'],
    ['inlet_mails_total', 'refused'],
    ['inlet_delivery_duration_seconds_count', 'succeeded'],
    ['inlet_delivery_duration_seconds_count', 'failed'],
    ['inlet_image_duration_seconds_count', 'made'],
    ['inlet_sign_ins_total', 'throttled'],
  ] as const;
  live = await until(
    async () => parseExposition((await request(`${server.url}/metrics`)).text),
    (series) => wanted.every(([name, outcome]) => series.get(name)?.get('outcome')?.has(outcome)),
  );
});

afterAll(async () => {
  await server?.dispose();
  await mails?.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** The labels that Prometheus adds to each series. `up` is the one series that it makes itself. */
const added = new Set(['job', 'instance']);
const labelsOf = (metric: string): ReadonlyMap<string, ReadonlySet<string>> | undefined =>
  metric === 'up' ? new Map() : live.get(metric);

describe.each(asked)('$where', ({ expr, shown }) => {
  it('asks for series, labels and values that there are', async () => {
    const attempts = await file('src/model/delivery.ts');
    const { selectors, groupedBy } = parseExpression(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const known = new Set([...added, 'le']);
    for (const { metric, matchers } of selectors) {
      const labels = labelsOf(metric);
      expect(labels, metric).toBeDefined();
      for (const label of labels?.keys() ?? []) known.add(label);
      // Every query is limited to the selected processes.
      expect(matchers.map(({ label }) => label)).toContain('job');
      for (const { label, values } of matchers.filter((matcher) => !added.has(matcher.label))) {
        expect([...(labels?.keys() ?? [])], metric).toContain(label);
        for (const value of values) {
          // Not every internal error can be caused here, but the sources must at least name it.
          const isThere =
            labels?.get(label)?.has(value) ||
            Object.hasOwn(errorCatalogue, value) ||
            attempts.includes(`'${value}'`);
          expect(isThere, `${metric}{${label}="${value}"}`).toBe(true);
        }
      }
    }
    const inText = [...shown.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map((match) => match[1] ?? '');
    for (const label of [...groupedBy, ...inText]) expect([...known]).toContain(label);
  });
});

describe('the dashboard', () => {
  it('lets people choose the data source, the job and the processes', () => {
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(38);
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['instance', 'query'],
    ]);
    for (const { definition } of dashboard.templating.list) {
      if (definition) expect([...live.keys()]).toContain(/^label_values\((\w+)/.exec(definition)?.[1]);
    }
    for (const { datasource, title } of panels)
      expect(datasource?.uid, title).toBe('$'.concat('{datasource}'));
  });

  it('has panels with ids of their own that do not lie on each other', () => {
    const ids = dashboard.panels.map((panel) => panel.id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Map<string, string>();
    for (const { gridPos: at, title } of dashboard.panels) {
      expect(at.x + at.w, title).toBeLessThanOrEqual(24);
      for (let x = at.x; x < at.x + at.w; x += 1) {
        for (let y = at.y; y < at.y + at.h; y += 1) {
          expect(taken.get(`${x},${y}`), title).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  it('shows every number of ours', () => {
    const shown = asked.flatMap(({ expr }) => parseExpression(expr).selectors.map(({ metric }) => metric));
    const ours = [...live.keys()].filter((name) => name.startsWith('inlet_'));
    const families = new Set(ours.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
    expect([...families].filter((name) => !shown.some((metric) => metric.startsWith(name)))).toEqual([]);
  });
});

describe('the alerts', () => {
  it('have the form of Prometheus, a severity and a sentence', () => {
    expect(new Set(rules.map((rule) => rule.alert)).size).toBe(rules.length);
    for (const { alert, expr, for: lasting, labels, annotations, ...others } of rules) {
      expect(Object.keys(others), alert).toEqual([]);
      expect(alert).toMatch(/^Inlet[A-Z]\w+$/);
      expect(expr).toMatch(/\S/);
      if (lasting !== undefined) expect(lasting).toMatch(/^\d+[smh]$/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\S/);
    }
  });

  it('each have a page that says what to do, and there is no page without an alert', async () => {
    const names = rules.map((rule) => rule.alert).sort();
    const guide = await file('docs/guides/monitoring.md');
    const listed = [...guide.matchAll(/^\| \[`(Inlet\w+)`\]\(\.\.\/runbooks\/\1\.md\) \|/gm)].map(
      (match) => match[1],
    );
    expect(listed.sort()).toEqual(names);
    const pages = await readdir(new URL('../../docs/runbooks/', import.meta.url));
    expect(pages.sort()).toEqual(names.map((name) => `${name}.md`));
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook).toBe(`docs/runbooks/${alert}.md`);
      const page = await file(annotations.runbook);
      const headings = [...page.matchAll(/^#+ .*/gm)].map(([heading]) => heading);
      expect(headings, alert).toEqual([
        `# ${alert}`,
        ...['## What visitors notice', '## Check', '## Fix', '## Prevent'],
      ]);
      expect(page).toContain(`Severity: \`${labels.severity}\``);
    }
  });

  it('ask for a backup when there is data and none was made', async () => {
    expect((await request(`${server.url}/metrics`)).text).toContain(
      '\ninlet_last_backup_timestamp_seconds 0\n',
    );
    const recorded = await inletJson(['backup', '--record'], { dataDir: server.dataDir });
    const at = Date.parse(recorded.backed_up_at) / 1000;
    await until(
      async () => (await request(`${server.url}/metrics`)).text,
      (text) => text.includes(`\ninlet_last_backup_timestamp_seconds ${at}\n`),
    );
  });

  it('are loaded by the example for Prometheus, under the job that they ask for', async () => {
    const example = parse(await file('deploy/prometheus.yaml'));
    expect(example.rule_files).toEqual(['alerts.yaml']);
    expect(example.scrape_configs[0].job_name).toBe('inlet');
  });

  it('are fed from OPS_PORT of the compose files and the example for systemd', async () => {
    const example = await file('deploy/prometheus.yaml');
    const [target] = parse(example).scrape_configs[0].static_configs[0].targets;
    const opsPort = target.split(':')[1];
    expect(example).toContain(`port: ${opsPort} }`);
    for (const name of ['compose.yaml', 'compose.single.yaml'])
      expect(await file(name)).toContain(`OPS_PORT: "${opsPort}"`);
    expect(await file('deploy/inlet.env.example')).toContain(`\nOPS_PORT=${opsPort}\n`);
  });
});
