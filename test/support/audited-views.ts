/** Every operation that shows or returns personal data, with the entry it leaves in the audit log. */
import { expect } from 'vitest';
import { type AuditWorld, auditFixtures } from './audited-fixtures.js';
import type { Answer } from './client.js';
import { submit } from './webhooks.js';

const v1 = '/api/v1';

/** Prepares what the call needs, and returns the call. */
type Prepare = () => Promise<() => Promise<Answer>>;
type Audited = Readonly<Record<string, readonly [action: string, prepare: Prepare]>>;

export function auditedViews(world: AuditWorld): Audited {
  const { api } = world;
  const { aForm, aSubmission, aFile, aDelivery } = auditFixtures(world);
  return {
    getSubmission: [
      'submission.viewed',
      async () => {
        const id = await aSubmission();
        return () => api().get(`${v1}/submissions/${id}`);
      },
    ],
    listNotes: [
      'submission.viewed',
      async () => {
        const id = await aSubmission();
        return () => api().get(`${v1}/submissions/${id}/notes`);
      },
    ],
    listSubmissionDeliveries: [
      'submission.viewed',
      async () => {
        const id = await aSubmission();
        return () => api().get(`${v1}/submissions/${id}/deliveries`);
      },
    ],
    listSubmissions: ['submissions.listed', async () => () => api().get(`${v1}/submissions`)],
    listFormSubmissions: [
      'submissions.listed',
      async () => {
        const { publicId } = await aForm();
        return () => api().get(`${v1}/forms/${publicId}/submissions`);
      },
    ],
    listProjectSubmissions: [
      'submissions.listed',
      async () => {
        const { projectId } = await aForm();
        return () => api().get(`${v1}/projects/${projectId}/submissions`);
      },
    ],
    getFormFields: [
      'submissions.listed',
      async () => {
        const { formId } = await aForm();
        return () => api().get(`${v1}/forms/${formId}/fields`);
      },
    ],
    exportSubmissions: [
      'submissions.exported',
      async () => {
        const { formId } = await aForm();
        return () => api().get(`${v1}/forms/${formId}/submissions/export`);
      },
    ],
    previewFormDestination: [
      'submissions.listed',
      async () => {
        const { formId } = await aForm();
        return () => api().post(`${v1}/forms/${formId}/destinations/preview`, { kind: 'webhook' });
      },
    ],
    previewMail: [
      'submission.viewed',
      async () => {
        const { formId, endpoint } = await aForm();
        await submit(endpoint, { name: 'Grace' });
        return () =>
          api().post(`${v1}/forms/${formId}/mail-preview`, {
            kind: 'notification',
            config: { to: ['a@example.com'] },
          });
      },
    ],
    getFile: [
      'file.viewed',
      async () => {
        const { id } = await aFile();
        return () => api().get(`${v1}/files/${id}`);
      },
    ],
    previewFile: [
      'file.viewed',
      async () => {
        const { id } = await aFile();
        return () => api().get(`${v1}/files/${id}/preview`);
      },
    ],
    downloadFile: [
      'file.downloaded',
      async () => {
        const { id } = await aFile();
        return () => api().get(`${v1}/files/${id}/download`);
      },
    ],
    listFormQuarantine: [
      'quarantine.listed',
      async () => {
        const { formId } = await aForm();
        return () => api().get(`${v1}/forms/${formId}/spam`);
      },
    ],
    listQuarantine: ['quarantine.listed', async () => () => api().get(`${v1}/spam`)],
    getDelivery: [
      'delivery.viewed',
      async () => {
        const id = await aDelivery();
        return () => api().get(`${v1}/deliveries/${id}`);
      },
    ],
    getDeliveryAttempt: [
      'delivery.viewed',
      async () => {
        const submission = await aSubmission();
        await expect
          .poll(
            async () => (await api().get(`${v1}/submissions/${submission}/deliveries`)).body.data[0].state,
            {
              timeout: 30_000,
            },
          )
          .toBe('delivered');
        const { id } = (await api().get(`${v1}/submissions/${submission}/deliveries`)).body.data[0];
        return () => api().get(`${v1}/deliveries/${id}/attempts/1`);
      },
    ],
    listFormDeliveries: [
      'deliveries.listed',
      async () => {
        const { formId } = await aForm();
        return () => api().get(`${v1}/forms/${formId}/deliveries`);
      },
    ],
    listProjectDeliveries: [
      'deliveries.listed',
      async () => {
        const { projectId } = await aForm();
        return () => api().get(`${v1}/projects/${projectId}/deliveries`);
      },
    ],
    getFormRejections: [
      'rejections.viewed',
      async () => {
        const { formId } = await aForm();
        return () => api().get(`${v1}/forms/${formId}/rejections`);
      },
    ],
    listSuppressedAddresses: [
      'suppressed_addresses.listed',
      async () => () => api().get(`${v1}/suppressed-addresses`),
    ],
    exportAuditEntries: ['audit.exported', async () => () => api().get(`${v1}/audit/export`)],
  };
}

/** Their permissions cover data that can be personal, but they show none of it. */
export const showsNothingPersonal: Readonly<Record<string, string>> = {
  listAuditEntries: 'counts once in ten minutes, see below',
  getFormSources: 'shows pages and sites, with counts',
  getSubmissionNeighbours: 'shows ids',
  followEvents: 'tells ids',
  getFileContent: 'follows a redirect, by whom is recorded there',
  listReplays: 'shows counts',
  getReplay: 'shows counts',
  getSuppressedReplies: 'shows counts',
  listLabels: 'shows names of labels',
  countUnread: 'shows counts',
  listViews: 'shows settings',
  getStats: 'shows counts',
  getInstance: 'shows the service',
  listAttention: 'shows counts',
};
