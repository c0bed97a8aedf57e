/** The metadata of a file: interface 2 and 4.2, decisions 7. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFields, fields, instant, uuid } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { onePixelPng, submitFiles, type Upload } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
let form: MadeForm;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  form = await makeForm(server.url);
});
afterAll(() => server.dispose());

const upload = async (file: Partial<Upload>) => {
  const sent = await submitFiles(form.endpoint, [
    { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello', ...file },
  ]);
  expect(sent.status, sent.text).toBe(200);
  const answer = await api.get(`/api/v1/files/${sent.body.files[0].id}`);
  expect(answer.status, answer.text).toBe(200);
  return { submissionId: sent.body.submission_id as string, sent: sent.body.files[0], file: answer.body };
};

it('has exactly the fields of the table', async () => {
  const { submissionId, sent, file } = await upload({});
  expectFields(file, fields.file);
  expect(file.id).toMatch(uuid);
  expect(file.uploaded_at).toMatch(instant);
  expect(file).toMatchObject({
    id: sent.id,
    submission_id: submissionId,
    form_id: form.formId,
    original_filename: 'cv.txt',
    mime_type: 'text/plain',
    file_size_bytes: 5,
    file_category: 'document',
    field_name: 'cv',
  });
  expect(file.download_url).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/files\/[0-9a-f-]{36}\/download\?token=[\w.~-]+$/,
  );
  expect(file.download_url.startsWith(`${server.url}/api/v1/files/${file.id}/download?token=`)).toBe(true);
});

it('agrees with the submission and with its answer', async () => {
  const { submissionId, sent, file } = await upload({
    field: 'photo',
    filename: 'p.png',
    type: 'image/png',
    content: onePixelPng,
  });
  const { files } = (await api.get(`/api/v1/submissions/${submissionId}`)).body;
  expect(files).toEqual([{ ...sent, field: 'photo' }]);
  expect(file).toMatchObject({
    original_filename: sent.filename,
    mime_type: sent.type,
    file_size_bytes: sent.size,
  });
});

describe('type and category', () => {
  it.each([
    ['a PNG', 'a.png', 'image/png', onePixelPng, 'image/png', 'image'],
    ['a PNG that calls itself text', 'a.txt', 'text/plain', onePixelPng, 'image/png', 'image'],
    [
      'a PDF',
      'a.pdf',
      'application/pdf',
      '%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n',
      'application/pdf',
      'document',
    ],
    ['a text', 'a.txt', 'text/plain', 'plain words', 'text/plain', 'document'],
    ['something that says nothing', 'a.bin', 'application/x-thing', 'abc', 'application/x-thing', 'other'],
  ])('of %s', async (_, filename, type, content, mimeType, category) => {
    const { file } = await upload({ filename, type, content });
    expect(file).toMatchObject({ mime_type: mimeType, file_category: category });
  });

  it('of a video', async () => {
    const mp4 = Uint8Array.from(Buffer.from('000000186674797069736f6d0000020069736f6d6d703432', 'hex'));
    const { file } = await upload({ filename: 'v.mp4', type: 'video/mp4', content: mp4 });
    expect(file).toMatchObject({ mime_type: 'video/mp4', file_category: 'video' });
  });
});

it.each([
  ['other scripts', 'Резюме 履歴書.txt'],
  ['emoji', '🎉.txt'],
  ['quotes', `it's "quoted".txt`],
  ['blanks and commas', 'a b, c;d.txt'],
  ['no extension', 'README'],
])('keeps a filename with %s', async (_, filename) => {
  expect((await upload({ filename })).file.original_filename).toBe(filename);
});

it.each(['../../etc/passwd', '..\\..\\windows\\system.ini', '/etc/passwd', 'C:\\autoexec.bat'])(
  'keeps no folders of the filename %s',
  async (filename) => {
    expect((await upload({ filename })).file.original_filename).not.toMatch(/[/\\]/);
  },
);

it('counts an empty file as a file of no bytes', async () => {
  const { file } = await upload({ filename: 'empty.txt', content: '' });
  expect(file.file_size_bytes).toBe(0);
});

it('is the same by a token as by the key, but for the fresh token in it', async () => {
  const { file } = await upload({});
  const token = new URL(file.download_url).searchParams.get('token') ?? '';
  const answer = await client(server.url, null).get(`/api/v1/files/${file.id}?token=${token}`);
  expect(answer.status).toBe(200);
  expectFields(answer.body, fields.file);
  expect({ ...answer.body, download_url: '' }).toEqual({ ...file, download_url: '' });
});
