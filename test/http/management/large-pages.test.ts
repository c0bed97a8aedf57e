/** Pages of large submissions end early, and nothing is lost between them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let form: MadeForm;
const total = 12;

beforeAll(async () => {
  server = await startServer();
  form = await makeForm(server.url);
  for (let number = 0; number < total; number += 1) {
    const answer = await submitJson(form.endpoint, { number, text: `needle ${'x'.repeat(900_000)}` });
    expect(answer.status).toBe(200);
  }
});
afterAll(() => server.dispose());

it.each([
  ['a list', ''],
  ['a search', '&q=needle'],
])('%s of a hundred is cut at a few mebibytes and goes on where it ended', async (_, query) => {
  const numbers: number[] = [];
  const sizes: number[] = [];
  for (let cursor = ''; ; ) {
    const { body, text } = await client(server.url).get(
      `/api/v1/forms/${form.formId}/submissions?limit=100${query}${cursor}`,
    );
    numbers.push(...body.data.map((item: { data: { number: number } }) => item.data.number));
    sizes.push(text.length);
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(numbers).toEqual(Array.from({ length: total }, (_unused, index) => total - 1 - index));
  expect(Math.max(...sizes)).toBeLessThan(6_000_000);
});

it('the export holds all of them', async () => {
  const { text } = await client(server.url).get(
    `/api/v1/forms/${form.formId}/submissions/export?format=jsonl`,
  );
  expect(text.trimEnd().split('\n')).toHaveLength(total);
});
