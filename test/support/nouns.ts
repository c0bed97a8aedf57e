/** The product's nouns with ordinary values, so that a test names only what it is about. */
import type { StagedFile } from '../../src/domain/files/staging.js';
import { routesOf } from '../../src/domain/planning/plan.js';
import type { CompiledForm } from '../../src/domain/submissions/intake-forms.js';
import { NetworkSet } from '../../src/kernel/addresses.js';
import { newId } from '../../src/kernel/ids.js';
import type { StoredFile } from '../../src/model/file.js';
import { type Form, newFormDefaults } from '../../src/model/form.js';
import type { Project } from '../../src/model/project.js';
import type { SubmissionWithFiles } from '../../src/model/submission.js';
import type { IntakeForm } from '../../src/ports/store.js';

export const someTime = Date.UTC(2026, 0, 31, 12, 0, 0, 7);

export const aProject = (more: Partial<Project> = {}): Project => ({
  id: newId(someTime),
  accountId: newId(someTime),
  name: 'Site',
  slug: 'site',
  webhookUrl: null,
  webhookSecret: 'a secret of the project',
  previousSecret: null,
  previousSecretUntil: null,
  allowedOrigins: [],
  rateLimitPerMinute: 60,
  notifyEmails: [],
  isActive: true,
  createdAt: someTime,
  updatedAt: someTime,
  ...more,
});

export const aForm = (more: Partial<Form> = {}): Form => ({
  ...newFormDefaults,
  id: newId(someTime),
  publicId: 'bcdfghjkmnpq',
  projectId: newId(someTime),
  name: 'Contact',
  slug: 'contact',
  sandboxApiKey: null,
  createdAt: someTime,
  updatedAt: someTime,
  ...more,
});

export function anIntakeForm(
  more: { form?: Partial<Form>; project?: Partial<Project>; plan?: IntakeForm['plan'] } = {},
): IntakeForm {
  const project = aProject(more.project);
  return {
    project,
    form: aForm({ projectId: project.id, ...more.form }),
    destinations: [],
    accountId: project.accountId,
    plan: more.plan ?? 'enterprise',
  };
}

/** The same form, as the submission endpoint caches it. */
export function aCompiledForm(more: Parameters<typeof anIntakeForm>[0] = {}): CompiledForm {
  const { destinations, ...intake } = anIntakeForm(more);
  const none = new NetworkSet([]);
  const routes = routesOf(intake, destinations);
  return {
    ...intake,
    routes,
    origins: null,
    blocked: none,
    registered: none,
    rules: null,
    hostedOrigin: null,
  };
}

export function aStagedFile(more: Partial<StagedFile> = {}): StagedFile {
  const id = more.id ?? newId(someTime);
  return {
    id,
    fieldName: 'upload',
    filename: 'notes.txt',
    mimeType: 'text/plain',
    category: 'document',
    sizeBytes: 5,
    sha256: 'ab'.repeat(32),
    blobKey: id,
    ...more,
  };
}

export const aStoredFile = (more: Partial<StoredFile> = {}): StoredFile => ({
  ...aStagedFile(),
  accountId: newId(someTime),
  projectId: newId(someTime),
  formId: newId(someTime),
  submissionId: newId(someTime),
  uploadedAt: someTime,
  deletedAt: null,
  ...more,
});

export const aSubmission = (more: Partial<SubmissionWithFiles> = {}): SubmissionWithFiles => ({
  id: newId(someTime),
  formId: newId(someTime),
  projectId: newId(someTime),
  data: '{}',
  metadata: {
    ip: '203.0.113.7',
    userAgent: 'Browser',
    submittedFrom: 'https://example.com/contact',
    controlFields: null,
  },
  createdAt: someTime,
  files: [],
  deliveryState: null,
  ...more,
});
