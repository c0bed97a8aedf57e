import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aForm, aProject, aStoredFile, aSubmission, someTime } from '../../../test/support/nouns.js';
import { isUuid } from '../../kernel/ids.js';
import { planDeliveries } from './plan.js';

const formUrl = 'https://hooks.example.com/form';
const projectUrl = 'https://hooks.example.com/project';

const plan = (
  urls: { form?: string | null; project?: string | null },
  more: Parameters<typeof aSubmission>[0] = {},
) => {
  const project = aProject({ webhookUrl: urls.project ?? null });
  const form = aForm({ projectId: project.id, webhookUrl: urls.form ?? null, name: 'Über "uns"' });
  const submission = aSubmission({ formId: form.id, projectId: project.id, ...more });
  return {
    form,
    project,
    submission,
    deliveries: planDeliveries({ form, project, submission, files: submission.files }),
  };
};

describe('planDeliveries', () => {
  it('plans nothing without a receiver', () => {
    expect(plan({}).deliveries).toEqual([]);
  });

  it('plans one delivery for each receiver, due at once', () => {
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
      { ...common, target: 'form', url: formUrl },
      { ...common, target: 'project', url: projectUrl },
    ]);
    expect(deliveries.every(({ id }) => isUuid(id))).toBe(true);
    expect(deliveries[0]?.id).not.toBe(deliveries[1]?.id);
    expect(deliveries[0]?.body).toBe(deliveries[1]?.body);
  });

  it('sends to a receiver that is named twice only once', () => {
    expect(plan({ form: formUrl, project: formUrl }).deliveries).toMatchObject([
      { target: 'form', url: formUrl },
    ]);
  });

  it('plans for the project alone when the form has no receiver', () => {
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
        metadata: { ip: '203.0.113.7', userAgent: 'A "browser"\\', submittedFrom: '' },
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

  it('is valid JSON whatever strangers wrote', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.json(), (text, json) => {
        const data = `{"a":${json}}`;
        const metadata = { ip: '', userAgent: text, submittedFrom: text };
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
});
