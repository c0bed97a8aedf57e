/** Tables of the API contract as the tests compare them: field lists, formats, error bodies. */
import { expect } from 'vitest';
import type { Answer } from './client.js';
import { everySetting } from './form-settings.js';

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** ISO 8601 UTC with milliseconds. */
export const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const unknownId = '01890000-0000-7000-8000-000000000000';

const created = ['created_at', 'id', 'is_active', 'name', 'slug'];

const formItem = [
  ...created,
  'public_id',
  'endpoint',
  'webhook_url',
  'success_redirect',
  'validation_mode',
  'submissions_count',
];

export const fields = {
  projectCreated: created,
  projectItem: [...created, 'webhook_url', 'allowed_origins', 'forms_count', 'submissions_count'],
  projectFull: [
    ...created,
    'webhook_url',
    'webhook_secret',
    'allowed_origins',
    'rate_limit_per_minute',
    'notify_emails',
    'updated_at',
    'forms',
  ],
  formSummary: ['id', 'public_id', 'name', 'slug', 'is_active'],
  formCreated: [...created, 'public_id', 'endpoint'],
  formItem,
  formFull: [...new Set([...formItem, ...Object.keys(everySetting), 'project_id', 'updated_at'])],
  submission: ['id', 'data', 'files', 'form_id', 'project_id', 'metadata', 'created_at'],
  metadata: ['ip', 'user_agent', 'submitted_from'],
  fileSummary: ['id', 'field', 'filename', 'type', 'size'],
  file: [
    'id',
    'submission_id',
    'form_id',
    'original_filename',
    'mime_type',
    'file_size_bytes',
    'file_category',
    'field_name',
    'uploaded_at',
    'download_url',
  ],
  delivery: ['id', 'destination_id', 'kind', 'name', 'target', 'url', 'state', 'next_attempt_at', 'attempts'],
  attempt: ['number', 'at', 'trigger', 'status', 'duration_ms', 'error', 'response'],
} as const;

export function expectFields(value: object, names: readonly string[]): void {
  expect(Object.keys(value).sort()).toEqual([...names].sort());
}

/** Exactly `{error, code}` and the named further fields. For every error, the client checks that its code and text belong together. */
export function expectProblem(
  answer: Answer,
  status: number,
  error: string,
  extra: Record<string, unknown> = {},
): void {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { error, code: expect.any(String), ...extra },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
}

/** A 400 that names exactly the errors at these paths. */
export function expectFaults(answer: Answer, paths: readonly string[]): void {
  expect({ status: answer.status, error: answer.body?.error }, answer.text).toEqual({
    status: 400,
    error: 'Invalid request body',
  });
  expectFields(answer.body, ['error', 'code', 'details']);
  for (const fault of answer.body.details) {
    expectFields(fault, ['path', 'message']);
    expect(fault.message).toMatch(/\S/);
  }
  const named = new Set<string>(answer.body.details.map((fault: { path: string }) => fault.path));
  expect([...named].sort()).toEqual([...paths].sort());
}

export function expectDeleted(answer: Answer): void {
  expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
}
