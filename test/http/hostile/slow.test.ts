/** Clients that are slow on purpose. They run at once, because each takes the time that the server allows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody } from '../../support/bodies.js';
import { type MadeForm, makeForm } from '../../support/client.js';
import { expectRefusal, expectUnharmed } from '../../support/harm.js';
import { kept } from '../../support/kept.js';
import { openRaw, type RawConnection, requestHead } from '../../support/raw.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';

/** The server allows 10 s for headers and 20 s for a silent body, and checks every 2 s. The rest is for a busy machine. */
const maxHeaderMs = 25_000;
const maxSilentBodyMs = 40_000;

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer();
  form = await makeForm(server.url);
});
afterAll(async () => {
  expect(await kept(server, form.formId)).toMatchObject({ files: 0 });
  await expectUnharmed(server);
  await server.dispose();
});

async function expectClosed(
  connection: RawConnection,
  withinMs: number,
  statuses: readonly number[] = [408],
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Still open after ${withinMs} ms`)), withinMs);
  });
  await Promise.race([connection.closed, tooLate]).finally(() => clearTimeout(timer));
  for (const { status, body } of connection.answers()) expectRefusal({ status, text: body }, statuses);
}

describe.concurrent('a client', () => {
  it('that sends half of its headers is closed', async () => {
    const connection = await openRaw(server.port);
    connection.write(`POST /f/${form.publicId} HTTP/1.1\r\nHost: x\r\nContent-Ty`);
    await expectClosed(connection, maxHeaderMs);
    expect(connection.answers()).toHaveLength(1);
  });

  it('that drips its headers is closed all the same', async () => {
    const connection = await openRaw(server.port);
    connection.write(`POST /f/${form.publicId} HTTP/1.1\r\nHost: x\r\n`);
    const drip = setInterval(() => connection.write('X-A: b\r\n'), 500);
    await expectClosed(connection, maxHeaderMs).finally(() => clearInterval(drip));
  });

  it('that says nothing is closed', async () => {
    await expectClosed(await openRaw(server.port), maxHeaderMs);
  });

  it('that stops in the middle of its headers does not hold up the others', async () => {
    const crowd = await Promise.all(Array.from({ length: 100 }, () => openRaw(server.port)));
    for (const connection of crowd) connection.write('POST /f/x HTTP/1.1\r\nHost: x\r\n');
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(200);
    await expectUnharmed(server);
    await Promise.all(crowd.map((connection) => expectClosed(connection, maxHeaderMs)));
  });

  it('that is refused and never sends its body is closed', async () => {
    const connection = await openRaw(server.port);
    const headers = ['Content-Type: application/json', 'Content-Length: 1000'];
    connection.write(requestHead('POST', '/f/nosuchform', headers));
    expect((await connection.answer()).status).toBe(404);
    await expectClosed(connection, maxHeaderMs, [404]);
  });

  it.each([
    ['without a key', 'POST', '/api/v1/projects', 401],
    ['for nothing', 'POST', '/nothing', 404],
  ])('that asks %s and goes on dripping its body is closed', async (_, method, path, status) => {
    const connection = await openRaw(server.port);
    connection.write(
      requestHead(method, path, ['Content-Type: application/json', 'Content-Length: 1000000']),
    );
    const drip = setInterval(() => connection.write('{'), 500);
    try {
      expect((await connection.answer()).status).toBe(status);
      await expectClosed(connection, maxHeaderMs, [status]);
    } finally {
      clearInterval(drip);
    }
  });

  it('that falls silent in its body gets 408, and its file is gone', async () => {
    const body = multipartBody('b', [filePart('f', 'f.bin', Buffer.alloc(400_000, 1))]);
    const text = await openRaw(server.port);
    text.write(
      requestHead('POST', `/f/${form.publicId}`, ['Content-Type: application/json', 'Content-Length: 100']),
    );
    text.write('{"a":');
    const file = await openRaw(server.port);
    const headers = ['Content-Type: multipart/form-data; boundary=b', `Content-Length: ${body.length}`];
    file.write(requestHead('POST', `/f/${form.publicId}`, headers));
    file.write(body.subarray(0, 300_000));
    const answers = await Promise.all([text.answer(1, maxSilentBodyMs), file.answer(1, maxSilentBodyMs)]);
    for (const { status, body: answer } of answers) expectRefusal({ status, text: answer }, [408]);
    await Promise.all([expectClosed(text, maxHeaderMs), expectClosed(file, maxHeaderMs)]);
  });
});
