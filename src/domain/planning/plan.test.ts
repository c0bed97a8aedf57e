import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aForm, aProject, aStoredFile, aSubmission, someTime } from '../../../test/support/nouns.js';
import { aPlanning } from '../../../test/support/planning.js';
import type { WebhookConfig } from '../../contract/destination.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { usualAutoresponder } from '../../model/autoresponder.js';
import { builtInId, type Destination, type DestinationOf } from '../../model/destination.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import { type Planning, planDeliveries, routesOf } from './plan.js';

const formUrl = 'https://hooks.example.com/form';
const projectUrl = 'https://hooks.example.com/project';

interface Situation {
  readonly form?: string | null;
  readonly project?: string | null;
  readonly formMails?: readonly string[];
  readonly projectMails?: readonly string[];
  readonly copies?: readonly string[];
  /** Rows for this form and project. */
  readonly rows?: (form: Form, project: Project) => readonly Destination[];
  readonly planning?: Partial<Planning>;
  readonly autoresponder?: Form['autoresponder'];
}

const plan = (situation: Situation, more: Parameters<typeof aSubmission>[0] = {}) => {
  const project = aProject({
    webhookUrl: situation.project ?? null,
    notifyEmails: situation.projectMails ?? [],
  });
  const form = aForm({
    projectId: project.id,
    webhookUrl: situation.form ?? null,
    notifyEmails: situation.formMails ?? [],
    name: 'Über "uns"',
    autoresponder: situation.autoresponder ?? null,
  });
  const submission = aSubmission({ formId: form.id, projectId: project.id, ...more });
  const routes = routesOf({ form, project }, situation.rows?.(form, project) ?? []);
  const source = { form, project, submission, files: submission.files };
  return {
    form,
    project,
    submission,
    ...planDeliveries(source, routes, aPlanning(situation.planning), situation.copies),
  };
};

const aWebhook = (
  { id: formId, projectId }: Form,
  {
    config,
    ...more
  }: Partial<Omit<DestinationOf<'webhook'>, 'config'>> & { config?: Partial<WebhookConfig> },
): DestinationOf<'webhook'> => ({
  id: newId(someTime),
  projectId,
  formId,
  kind: 'webhook',
  name: 'Sales',
  isActive: true,
  builtIn: false,
  filter: null,
  template: null,
  retryDelaysMs: null,
  createdAt: someTime,
  updatedAt: someTime,
  ...more,
  config: {
    url: 'https://sales.example.com/in',
    method: 'POST',
    headers: {},
    secret: null,
    content_type: 'application/json',
    ...config,
  },
});

describe('what one submission may become', () => {
  const many =
    (count: number, more: Parameters<typeof aWebhook>[1] = {}) =>
    (form: Form) =>
      Array.from({ length: count }, (_, n) =>
        aWebhook(form, { ...more, config: { url: `https://sales.example.com/${n}` } }),
      );
  const size = (deliveries: readonly { body: string }[]) =>
    deliveries.reduce((sum, { body }) => sum + body.length, 0);
  const large = { data: JSON.stringify({ text: 'a'.repeat(1_000_000) }) };

  it('is limited in all; the destinations beyond it are skipped', () => {
    const { deliveries, skipped } = plan({ rows: many(200) }, large);
    expect(size(deliveries)).toBeLessThan(34_000_000);
    expect(deliveries.length).toBeGreaterThan(30);
    expect(deliveries.length + skipped.length).toBe(200);
    expect(plan({ rows: many(200) }, {}).deliveries).toHaveLength(200);
  });

  // 200 of them took 5.6 GB of memory and half a minute.
  it('is limited for all templates together, also where a character becomes six', () => {
    const template = JSON.stringify({
      a: '{{fields.text}}{{fields.text}}.',
      b: '{{fields.text}}.',
      c: '{{form.name}}',
    });
    const data = JSON.stringify({ text: '\u0001'.repeat(170_000) });
    const { deliveries } = plan({ rows: many(200, { template }) }, { data });
    expect(deliveries).toHaveLength(200);
    expect(size(deliveries)).toBeLessThan(12_000_000);
    for (const { body } of [deliveries[0], deliveries[199]].flatMap((one) => one ?? []))
      expect(Object.keys(JSON.parse(body))).toEqual(['a', 'b', 'c']);
  });
});

describe('planDeliveries', () => {
  it('plans nothing without a destination', () => {
    expect(plan({}).deliveries).toEqual([]);
  });

  it('plans one delivery for each webhook, due at once', () => {
    const { deliveries, form, project, submission } = plan({ form: formUrl, project: projectUrl });
    const common = {
      submissionId: submission.id,
      formId: form.id,
      projectId: project.id,
      state: 'pending',
      nextAttemptAt: submission.createdAt,
      createdAt: submission.createdAt,
    };
    expect(deliveries).toMatchObject([
      {
        ...common,
        target: 'form',
        url: formUrl,
        lane: `https://hooks.example.com ${builtInId(form.id, 'webhook')}`,
      },
      { ...common, target: 'project', url: projectUrl, destinationId: builtInId(project.id, 'webhook') },
    ]);
    expect(deliveries.every(({ id }) => isUuid(id))).toBe(true);
    expect(deliveries[0]?.id).not.toBe(deliveries[1]?.id);
    expect(deliveries[0]?.body).toBe(deliveries[1]?.body);
  });

  it('sends to an endpoint that is named twice only once', () => {
    for (const project of [formUrl, 'https://HOOKS.example.com:443/form'])
      expect(plan({ form: formUrl, project }).deliveries).toMatchObject([{ target: 'form', url: formUrl }]);
  });

  it('plans for the project alone when the form has no webhook', () => {
    expect(plan({ project: projectUrl }).deliveries).toMatchObject([{ target: 'project', url: projectUrl }]);
  });

  it('writes the payload of the interface: these fields and no others', () => {
    const file = aStoredFile({
      fieldName: 'cv',
      filename: 'Lebenslauf "neu".pdf',
      mimeType: 'application/pdf',
    });
    const { deliveries, form, submission } = plan(
      { form: formUrl },
      {
        data: '{"name":"Ada"}',
        files: [file],
        metadata: { ip: '203.0.113.7', userAgent: 'A "browser"\\', submittedFrom: '', controlFields: null },
      },
    );
    expect(JSON.parse(deliveries[0]?.body ?? '')).toEqual({
      event: 'submission.created',
      timestamp: '2026-01-31T12:00:00.007Z',
      form: { id: form.id, public_id: form.publicId, slug: 'contact', name: 'Über "uns"' },
      submission: {
        id: submission.id,
        data: { name: 'Ada' },
        files: [
          { id: file.id, field: 'cv', filename: 'Lebenslauf "neu".pdf', type: 'application/pdf', size: 5 },
        ],
        metadata: { ip: '203.0.113.7', user_agent: 'A "browser"\\', submitted_from: '' },
        created_at: '2026-01-31T12:00:00.007Z',
      },
    });
    expect(submission.createdAt).toBe(someTime);
  });

  it('carries the data byte for byte: order of keys, large numbers, repeated escapes', () => {
    const data = '{"b":1,"10":12345678901234567890,"2":1.50,"__proto__":"x","\\u0041":"\\u00fc"}';
    expect(plan({ form: formUrl }, { data }).deliveries[0]?.body).toContain(`"data":${data},"files":[]`);
  });

  it('is valid JSON whatever visitors wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.json(), (text, json) => {
        const data = `{"a":${json}}`;
        const metadata = { ip: '', userAgent: text, submittedFrom: text, controlFields: null };
        const files = [aStoredFile({ filename: text, fieldName: text })];
        const body = plan({ form: formUrl }, { data, metadata, files }).deliveries[0]?.body ?? '';
        expect(JSON.parse(body).submission).toMatchObject({
          metadata: { user_agent: text, submitted_from: text },
          files: [{ filename: text, field: text }],
        });
        expect(JSON.parse(body).submission.data).toEqual(JSON.parse(data));
      }),
    );
  });

  it('plans one mail for each person, due at once, the form’s first', () => {
    const { form, project, submission, deliveries } = plan({
      formMails: ['a@x.test'],
      projectMails: ['b@x.test', 'c@x.test'],
    });
    expect(deliveries.map(({ url }) => url)).toEqual(['a@x.test', 'b@x.test', 'c@x.test']);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(3);
    expect(deliveries[0]).toMatchObject({
      kind: 'email',
      target: 'form',
      lane: `smtp ${builtInId(form.id, 'email')}`,
      state: 'pending',
      attempt: 0,
      nextAttemptAt: submission.createdAt,
      // The text is rendered on sending.
      body: '',
    });
    expect(deliveries[1]).toMatchObject({ target: 'project', destinationId: builtInId(project.id, 'email') });
  });

  it('plans one mail for who is named twice, in the first spelling', () => {
    const { deliveries } = plan({
      formMails: ['Ada@x.test', 'ada@X.test'],
      projectMails: ['ADA@x.test', 'b@x.test'],
      copies: ['B@x.test', 'c@x.test', 'C@x.test'],
    });
    expect(deliveries.map(({ url }) => url)).toEqual(['Ada@x.test', 'b@x.test', 'c@x.test']);
  });

  it('sends the copies that a page asks for, although the form notifies nobody', () => {
    const { form, deliveries } = plan({ copies: ['c@x.test'] });
    expect(deliveries).toMatchObject([
      { url: 'c@x.test', kind: 'email', destinationId: builtInId(form.id, 'email') },
    ]);
  });

  it('queues no notification without a mail server', () => {
    const situation = { form: formUrl, formMails: ['a@x.test'], copies: ['c@x.test'] };
    const { deliveries } = plan({ ...situation, planning: { sendsMail: false } });
    expect(deliveries.map(({ kind }) => kind)).toEqual(['webhook']);
  });

  it('replies to the one address in the chosen field, also without a mail server', () => {
    const autoresponder = { ...usualAutoresponder, field: 'mail', subject: 'Thanks', text: 'Thanks' };
    const planning = { sendsMail: false };
    const { deliveries, form } = plan({ autoresponder, planning }, { data: '{"mail":"ada@x.test"}' });
    const destinationId = builtInId(form.id, 'reply');
    expect(deliveries).toMatchObject([
      {
        url: 'ada@x.test',
        kind: 'email',
        target: 'form',
        destinationId,
        lane: `smtp ${destinationId}`,
        body: '',
      },
    ]);
    for (const data of ['{}', '{"mail":"a@x.test,b@x.test"}', '{"email":"a@x.test"}'])
      expect(plan({ autoresponder }, { data }).deliveries).toEqual([]);
    expect(
      plan({ autoresponder: { ...autoresponder, enabled: false } }, { data: '{"mail":"ada@x.test"}' }),
    ).toMatchObject({ deliveries: [] });
  });

  it('sends to what is active and whose filter it passes, and names those that it does not pass', () => {
    const filter = JSON.stringify({ submission: { data: { team: 'sales' } } });
    const rows = (form: Form, project: Project) => [
      aWebhook(form, { id: 'sales', filter }),
      aWebhook(form, { id: 'off', isActive: false }),
      { ...aWebhook(form, { id: 'all' }), projectId: project.id, formId: null },
    ];
    const passed = plan({ rows }, { data: '{"team":"sales"}' });
    expect(passed.deliveries.map(({ destinationId }) => destinationId)).toEqual(['sales', 'all']);
    expect(passed.deliveries.map(({ target }) => target)).toEqual(['form', 'project']);
    expect(passed.skipped).toEqual([]);
    const other = plan({ rows }, { data: '{"team":"support"}' });
    expect(other.deliveries.map(({ destinationId }) => destinationId)).toEqual(['all']);
    expect(other.skipped).toEqual(['sales']);
  });

  it('lets the row of a built-in destination switch it off, and filter', () => {
    const off = (form: Form) => [
      aWebhook(form, { id: builtInId(form.id, 'webhook'), builtIn: true, isActive: false }),
    ];
    expect(plan({ form: formUrl, rows: off }).deliveries).toEqual([]);
    // The project's own webhook to the same URL is still active.
    expect(plan({ form: formUrl, project: formUrl, rows: off }).deliveries).toMatchObject([
      { target: 'project' },
    ]);
    const filtered = (form: Form) => [
      aWebhook(form, { id: builtInId(form.id, 'webhook'), builtIn: true, filter: '{"event":"other"}' }),
    ];
    const { form, deliveries, skipped } = plan({ form: formUrl, rows: filtered });
    expect(deliveries).toEqual([]);
    expect(skipped).toEqual([builtInId(form.id, 'webhook')]);
  });

  it('renders a template once, when the submission comes', () => {
    const template = JSON.stringify({ text: 'From {{fields.name}}', age: '{{fields.age}}' });
    const rows = (form: Form) => [aWebhook(form, { template })];
    const { deliveries } = plan({ rows }, { data: '{"name":"Ada \\"Countess\\"","age":36}' });
    expect(JSON.parse(deliveries[0]?.body ?? '')).toEqual({ text: 'From Ada "Countess"', age: 36 });
  });
});
