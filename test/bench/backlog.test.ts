/** The backlog of the delivery benchmark is written directly to the database. A change to the store must not break it. */
import { expect, it } from 'vitest';
import { seedDeliveries } from '../../bench/data/backlog.mjs';
import { makeForm } from '../support/client.js';
import { startAnswering } from '../support/receivers.js';
import { startServer } from '../support/server.js';

it('is delivered by a server that starts on it', async () => {
  const receiver = await startAnswering({ status: 200 });
  const first = await startServer();
  const { dataDir } = first;
  const form = await makeForm(first.url, { form: { webhook_url: receiver.url } });
  await first.end();
  await seedDeliveries(dataDir, [{ form, url: receiver.url, count: 3 }]);
  const server = await startServer({ dataDir });
  try {
    await expect.poll(() => receiver.requests.length).toBe(3);
  } finally {
    await server.dispose();
    await receiver.close();
  }
});
