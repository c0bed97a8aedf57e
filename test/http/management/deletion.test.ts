/** Deleting also removes everything below, at once: decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { expectDeleted, expectProblem } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const family = async () => {
  const made = await makeForm(server.url);
  const plain = await submitJson(made.endpoint, { word: 'findable' });
  const withFile = await submitFiles(made.endpoint, [
    { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' },
  ]);
  return {
    ...made,
    submissionIds: [plain.body.submission_id, withFile.body.submission_id] as string[],
    fileId: withFile.body.files[0].id as string,
  };
};
type Family = Awaited<ReturnType<typeof family>>;

async function expectFormGone(gone: Family): Promise<void> {
  for (const id of [gone.formId, gone.publicId]) {
    const path = `/api/v1/forms/${id}`;
    expectProblem(await api.get(path), 404, 'Form not found');
    expectProblem(await api.patch(path, { is_active: true }), 404, 'Form not found');
    expectProblem(await api.get(`${path}/submissions`), 404, 'Form not found');
    expectProblem(await api.get(`${path}/submissions?q=findable`), 404, 'Form not found');
    expectProblem(await api.get(`${path}/submissions/export`), 404, 'Form not found');
    expectProblem(await api.delete(path), 404, 'Form not found');
  }
  for (const id of gone.submissionIds) {
    expectProblem(await api.get(`/api/v1/submissions/${id}`), 404, 'Submission not found');
    expectProblem(await api.get(`/api/v1/submissions/${id}/deliveries`), 404, 'Submission not found');
    expectProblem(await api.delete(`/api/v1/submissions/${id}`), 404, 'Submission not found');
  }
  for (const path of ['', '/download']) {
    expectProblem(await api.get(`/api/v1/files/${gone.fileId}${path}`), 410, 'File has been deleted');
  }
  expectProblem(await submitJson(gone.endpoint, { late: true }), 404, 'Form not found');
}

describe('a deleted project', () => {
  it('is gone with its forms, submissions and files', async () => {
    const gone = await family();
    const kept = await family();
    expectDeleted(await api.delete(`/api/v1/projects/${gone.projectId}`));
    const path = `/api/v1/projects/${gone.projectId}`;
    expectProblem(await api.get(path), 404, 'Project not found');
    expectProblem(await api.get(`${path}/forms`), 404, 'Project not found');
    expectProblem(await api.get(`${path}/submissions`), 404, 'Project not found');
    await expectFormGone(gone);
    expect((await api.get(`/api/v1/projects/${kept.projectId}/submissions`)).body.data).toHaveLength(2);
    expect((await api.get(`/api/v1/files/${kept.fileId}`)).status).toBe(200);
  });
});

describe('a deleted form', () => {
  it('is gone with its submissions and files; its project stays', async () => {
    const gone = await family();
    expectDeleted(await api.delete(`/api/v1/forms/${gone.formId}`));
    await expectFormGone(gone);
    const project = (await api.get(`/api/v1/projects/${gone.projectId}`)).body;
    expect(project.forms).toEqual([]);
    expect((await api.get(`/api/v1/projects/${gone.projectId}/forms`)).body).toEqual({ data: [] });
    const list = await api.get(`/api/v1/projects/${gone.projectId}/submissions`);
    expect(list.body).toEqual({ data: [], next_cursor: null });
  });
});

describe('a deleted submission', () => {
  it('takes its files along', async () => {
    const made = await family();
    expectDeleted(await api.delete(`/api/v1/submissions/${made.submissionIds[1]}`));
    expectProblem(await api.get(`/api/v1/files/${made.fileId}`), 410, 'File has been deleted');
    expect((await api.get(`/api/v1/submissions/${made.submissionIds[0]}`)).status).toBe(200);
  });
});

describe('a deleted file', () => {
  it('leaves its submission, without the file', async () => {
    const made = await family();
    expectDeleted(await api.delete(`/api/v1/files/${made.fileId}`));
    const path = `/api/v1/submissions/${made.submissionIds[1]}`;
    expect((await api.get(path)).body.files).toEqual([]);
  });
});

it('does not trip over two deletions at once', async () => {
  const made = await family();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => api.delete(`/api/v1/submissions/${made.submissionIds[0]}`)),
  );
  for (const { status } of answers) expect([204, 404]).toContain(status);
  expect((await api.get(`/api/v1/forms/${made.formId}`)).body.submissions_count).toBe(1);
  const projects = await Promise.all(
    Array.from({ length: 6 }, () => api.delete(`/api/v1/projects/${made.projectId}`)),
  );
  for (const { status } of projects) expect([204, 404]).toContain(status);
  await expectFormGone(made);
});
