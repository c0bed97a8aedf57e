/** A submission as destinations see it, for tests of their kinds. */
import { membersOf } from '../../src/kernel/json-outline.js';
import type { StoredFile } from '../../src/model/file.js';
import type { SubmissionEvent } from '../../src/ports/destination-kind.js';

export interface EventParts {
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Labels of rules, by field name. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly formName?: string;
  readonly projectName?: string;
  readonly filenames?: readonly string[];
  readonly isTest?: boolean;
  /** The template of a chat. `{}` stands for the first field. */
  readonly template?: string;
}

const id = (n: number): string => `01937c0e-0000-7000-8000-${String(n).padStart(12, '0')}`;
const createdAt = Date.parse('2026-11-15T04:02:00Z');
export const dashboardLink = `https://inlet.example/app/submissions/${id(3)}`;

export function anEvent(parts: EventParts = {}): SubmissionEvent {
  const fields = parts.fields ?? { name: 'Ada Lovelace', email: 'ada@example.org', message: 'Hello' };
  const data = JSON.stringify(fields);
  const form = {
    id: id(1),
    publicId: 'f_contact',
    slug: 'contact',
    name: parts.formName ?? 'Contact',
    fields: Object.entries(parts.labels ?? {}).map(([name, label]) => ({
      name,
      label,
      type: 'text' as const,
    })),
  };
  const project = { id: id(2), accountId: id(9), slug: 'website', name: parts.projectName ?? 'Website' };
  const submission = {
    id: id(3),
    formId: form.id,
    projectId: project.id,
    data,
    metadata: { ip: '192.0.2.1', userAgent: 'Test', submittedFrom: '', controlFields: null },
    createdAt,
  };
  const files = (parts.filenames ?? []).map(
    (filename, n): StoredFile => ({
      id: id(100 + n),
      accountId: id(9),
      projectId: project.id,
      formId: form.id,
      submissionId: submission.id,
      fieldName: 'attachment',
      filename,
      mimeType: 'image/png',
      category: 'image',
      sizeBytes: 1_234,
      sha256: '0'.repeat(64),
      blobKey: `blobs/${n}`,
      uploadedAt: createdAt,
      deletedAt: null,
    }),
  );
  const { template } = parts;
  return {
    form,
    project,
    submission,
    files,
    isTest: parts.isTest ?? false,
    body: () =>
      JSON.stringify({ event: 'submission.created', submission: { id: submission.id, data: fields } }),
    fields: () => JSON.parse(data) as Record<string, unknown>,
    link: dashboardLink,
    fileLink: (fileId) => `https://inlet.example/f/${fileId}?token=${'t'.repeat(43)}`,
    renderText: (encode) => {
      if (template === undefined) return null;
      const [first] = membersOf(data);
      const value: unknown = first === undefined ? '' : JSON.parse(first.value);
      return template.replaceAll('{}', () => encode(String(value)));
    },
    renderJson: () => null,
    once: (_, make) => make(),
  };
}
