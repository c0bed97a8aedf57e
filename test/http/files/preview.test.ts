/** Files that a page may show: PDFs and the beginning of texts. No browser runs an upload, whatever it is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { onePixelPng, submitFiles, type Upload } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
let endpoint: string;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  ({ endpoint } = await makeForm(server.url));
});
afterAll(() => server.dispose());

async function uploaded(some: Partial<Upload>): Promise<string> {
  const file = { field: 'f', filename: 'a.txt', type: 'text/plain', content: 'hello', ...some };
  const { body } = await submitFiles(endpoint, [file]);
  return body.files[0].id;
}
const preview = (id: string, who = api) => who.get(`/api/v1/files/${id}/preview`);
const noPreview = {
  error: 'Invalid request body',
  code: 'no_preview',
  details: [{ path: '', message: 'Only PDFs and texts have a preview' }],
};

describe('GET /api/v1/files/{id}/preview', () => {
  it('gives a PDF for the dashboard to frame, in a sandbox and under its name', async () => {
    const content = '%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF';
    const id = await uploaded({ filename: 'Zoë "CV".pdf', type: 'application/pdf', content });
    const { status, headers, text } = await preview(id);
    expect([status, text]).toEqual([200, content]);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe(
      `inline; filename="Zo_ _CV_.pdf"; filename*=UTF-8''Zo%C3%AB%20%22CV%22.pdf`,
    );
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'self'; sandbox",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  it.each([
    ['HTML', 'x.html', 'text/html', '<script>alert(1)</script>'],
    ['an SVG', 'x.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['XHTML', 'x.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
    ['JSON', 'x.json', 'application/json', '{"a":"<b>"}'],
  ])('gives %s as plain text, as a download', async (_, filename, type, content) => {
    const { status, headers, text } = await preview(await uploaded({ filename, type, content }));
    expect([status, text]).toEqual([200, content]);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    );
  });

  it('gives the first 64 KiB of a text, and no half of a character', async () => {
    const content = `x${'ü'.repeat(40_000)}`;
    const { text } = await preview(await uploaded({ content }));
    expect(text).toBe(content.slice(0, 32_768));
    expect((await preview(await uploaded({ content: '' }))).text).toBe('');
  });

  it.each([
    ['a picture', 'x.png', 'image/png', onePixelPng],
    ['HTML under the name and type of a PDF', 'x.pdf', 'application/pdf', '<script>alert(1)</script>'],
    ['an unknown type', 'x.bin', 'application/x-unknown', 'x'],
    ['bytes that say more than the type', 'x.txt', 'text/plain', onePixelPng],
  ])('refuses %s', async (_, filename, type, content) => {
    const { status, body } = await preview(await uploaded({ filename, type, content }));
    expect([status, body]).toEqual([400, noPreview]);
  });

  it('is for the account alone, and ends with the file', async () => {
    const id = await uploaded({});
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    expect((await preview(id, outsider)).status).toBe(403);
    expect((await preview(id, client(server.url, null))).status).toBe(401);
    const { download_url: url } = (await api.get(`/api/v1/files/${id}`)).body;
    const byToken = await fetch(url.replace('/download?', '/preview?'));
    expect(byToken.status).toBe(401);
    await api.delete(`/api/v1/files/${id}`);
    expect((await preview(id)).status).toBe(410);
  });
});
