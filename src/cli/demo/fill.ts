/** Fills the demo instance through its own API: what users set up, what visitors sent in 30 days, and what users did with it. */
import type { FormCount, TallyKind } from '../../model/tally.js';
import { quarterHourOf } from '../../model/tally.js';
import type { TallyStore } from '../../ports/tallies.js';
import { type DemoApi, newPassword } from './api.js';
import { type Chance, createChance } from './chance.js';
import { demoFile } from './files.js';
import { type DemoForm, demoProjects, somebody } from './forms.js';
import type { Outside } from './outside.js';
import type { FormToTry } from './try-page.js';

const days = 30;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Submissions of the last day are sent normally, so that their deliveries are real. */
const sentPerForm = 6;
const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
] as const;

interface MadeForm {
  readonly id: string;
  readonly endpoint: string;
  readonly form: DemoForm;
}

export interface Filling {
  readonly api: DemoApi;
  readonly tallies: TallyStore;
  readonly outside: Outside;
  readonly now: number;
}

export async function fillDemo(filling: Filling): Promise<readonly FormToTry[]> {
  const chance = createChance(26);
  const made = await makeForms(filling);
  for (const form of made) await importPast(filling, form, chance);
  for (let round = 0; round < sentPerForm; round += 1) {
    for (const form of made) await sendOne(filling, form, chance, round);
  }
  await sendUnwanted(filling, made);
  await workThrough(filling, made);
  return made.map(({ endpoint, form }) => ({ name: form.settings.name, url: endpoint, hint: form.hint }));
}

async function makeForms({ api, outside, now }: Filling): Promise<readonly MadeForm[]> {
  const made: MadeForm[] = [];
  for (const { name, forms } of demoProjects(now)) {
    const project = await api.create('/projects', { name });
    for (const form of forms) {
      const { id, endpoint } = await api.create(`/projects/${project.id}/forms`, form.settings);
      for (const destination of form.destinations(outside.places)) {
        await api.create(`/forms/${id}/destinations`, destination);
      }
      made.push({ id, endpoint, form });
    }
  }
  return made;
}

/** Fewer at weekends. */
const countOn = (at: number, perDay: number, chance: Chance): number => {
  const share = [0, 6].includes(new Date(at).getUTCDay()) ? 0.4 : 1;
  return Math.round(perDay * share * (0.6 + 0.8 * chance.next()));
};

async function importPast(
  { api, tallies, outside, now }: Filling,
  made: MadeForm,
  chance: Chance,
): Promise<void> {
  const { form, id } = made;
  const rows: object[] = [];
  const counts: FormCount[] = [];
  const today = now - (now % dayMs);
  for (let ago = days - 1; ago > 0; ago -= 1) {
    const midnight = today - ago * dayMs;
    const count = countOn(midnight, form.perDay, chance);
    for (let i = 0; i < count; i += 1) {
      const at = midnight + 7 * hourMs + chance.below(14 * hourMs);
      const files = Object.entries(form.files ?? {}).map(([field, name]) => [
        field,
        outside.fileUrl(name, rows.length),
      ]);
      rows.push({
        created_at: new Date(at).toISOString(),
        ip: `203.0.113.${1 + chance.below(250)}`,
        user_agent: chance.pick(userAgents),
        referrer: form.page,
        ...form.fill(chance, somebody(chance)),
        ...Object.fromEntries(files),
      });
    }
    counts.push(...pastCounts(id, midnight + 12 * hourMs, count, ago));
  }
  await api.importRows(id, rows, Object.keys(form.files ?? {}));
  await tallies.add(counts, []);
}

/** What the import does not count, because it was not received today. Simulates an outage 12 days ago. */
function pastCounts(formId: string, at: number, count: number, ago: number): readonly FormCount[] {
  const isOutage = ago === 12;
  const kinds: readonly (readonly [TallyKind, number])[] = [
    ['received', count],
    ['delivered', count],
    ['latency_50', count],
    ['retried', isOutage ? count : ago % 6 === 0 ? 1 : 0],
    ['failed', isOutage ? Math.ceil(count / 3) : 0],
    ['quarantined', ago % 4 === 0 ? 1 : 0],
    ['refused_origin', ago % 9 === 0 ? 2 : 0],
    ['refused_fields', ago % 5 === 0 ? 1 : 0],
  ];
  const quarterHour = quarterHourOf(at);
  return kinds
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => ({ formId, quarterHour, kind, count: number }));
}

async function sendOne({ api }: Filling, made: MadeForm, chance: Chance, round: number): Promise<void> {
  const { endpoint, form } = made;
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fill(chance, somebody(chance)))) body.set(name, value);
  for (const [field, name] of Object.entries(form.files ?? {})) {
    const { type, bytes } = await demoFile(name, round);
    body.set(field, new Blob([bytes], { type }), name);
  }
  await api.submit(endpoint, body, { referer: form.page, 'user-agent': chance.pick(userAgents) });
}

/** Spam for the quarantine, and requests from a page that is not allowed or that break a rule. */
async function sendUnwanted({ api }: Filling, made: readonly MadeForm[]): Promise<void> {
  const spam = ['Cheap watches, today only', 'Rank first in every search engine', 'You have won a voucher'];
  for (const { endpoint, form } of made.filter(({ form: { settings } }) => settings.name === 'Contact')) {
    for (const message of spam) {
      const body = new URLSearchParams({
        name: 'Best Offers',
        email: 'offers@example.net',
        message,
        _gotcha: 'x',
      });
      await api.submit(endpoint, body, { referer: form.page });
    }
    const lost = new URLSearchParams({
      name: 'Ben Whitlock',
      email: 'ben@example.com',
      message: 'Just a test',
    });
    await api.submit(endpoint, lost, { origin: 'https://staging.bookshop.example' }, 403);
  }
  for (const { endpoint, form } of made.filter(({ form: { settings } }) => settings.name === 'Feedback')) {
    const body = new URLSearchParams({ rating: '11', about: 'Weather' });
    await api.submit(endpoint, body, { referer: form.page }, 422);
  }
}

/** Marks most as read, and stars, labels, assigns, annotates or archives some. */
async function workThrough({ api, now }: Filling, made: readonly MadeForm[]): Promise<void> {
  const colleague = await api.create('/users', { email: 'marta@example.com', password: newPassword() });
  const urgent = await api.create('/labels', { name: 'Urgent', color: 'red' });
  const press = await api.create('/labels', { name: 'Press', color: 'violet' });
  const refund = await api.create('/labels', { name: 'Refund', color: 'orange' });
  await api.post('/submissions/read-all', {});
  const change = async (query: string, change: object): Promise<readonly string[]> => {
    const ids = await api.ids(`/submissions?${query}`);
    if (ids.length > 0) await api.post('/submissions/update', { ids, change });
    return ids;
  };
  await change('limit=14', { is_read: false });
  await change('q=paper&limit=5', { add_labels: [press.id], is_starred: true });
  await change('q=charged&limit=20', { add_labels: [refund.id], assignee_id: colleague.id });
  const monthAgo = new Date(now - 15 * dayMs).toISOString();
  for (const { id, form } of made) {
    if (form.settings.name === 'Feedback') {
      const ids = await api.ids(`/forms/${id}/submissions?limit=100&until=${monthAgo}`);
      await api.post('/submissions/update', { ids, change: { folder: 'archive' } });
    }
  }
  const [newest] = await change('q=sign&limit=1', { add_labels: [urgent.id], assignee_id: colleague.id });
  if (newest !== undefined) {
    await api.create(`/submissions/${newest}/notes`, {
      text: 'The link is valid for an hour. I have sent a new one.',
    });
  }
  await api.create('/views', { name: 'Refunds', query: { label: refund.id } });
}
