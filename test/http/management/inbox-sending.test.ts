/** What spam and trash mean for deliveries, and when the trash is emptied. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart } from '../../support/bodies.js';
import { type Client, client, makeForm } from '../../support/client.js';
import { startTimeServer } from '../../support/clock.js';
import { expectProblem } from '../../support/contract.js';
import { answerBytes, type Behaviour } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { postMultipart } from '../../support/visitor.js';
import {
  becomes,
  deliveryBecomes,
  hasAttempts,
  hasState,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

const move = async (api: Client, ids: readonly string[], folder: string): Promise<void> => {
  const answer = await api.post('/api/v1/submissions/update', { ids, change: { folder } });
  expect(answer.status, answer.text).toBe(200);
};

/** The first attempt of each submission fails, the others succeed. */
function failingOnce(): Behaviour {
  const seen = new Set<string>();
  return (socket, { headers }) => {
    const id = `${headers.get('x-submission-id')}`;
    socket.write(answerBytes({ status: seen.has(id) ? 200 : 500 }));
    seen.add(id);
  };
}

describe('deliveries', () => {
  let server: RunningServer;
  let api: Client;
  beforeAll(async () => {
    server = await startHookServer();
    api = client(server.url);
  });
  afterAll(() => server.dispose());

  it.each(['spam', 'trash'])(
    'wait while their submission is in %s, and go on when it is back',
    async (folder) => {
      const receiver = await startTurning('hang');
      const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
      const arrivals = (id: string): number =>
        receiver.requests.filter(({ headers }) => headers.get('x-submission-id') === id).length;
      const id = await submit(form.endpoint);
      await becomes(
        () => arrivals(id),
        (count) => count === 1,
      );
      await move(api, [id], folder);
      const answering = failingOnce();
      receiver.turnTo(answering);
      receiver.release({ status: 500 });
      await deliveryBecomes(api, id, hasAttempts(1));
      // Its second attempt is due after the paused one, in the same queue.
      const other = await submit(form.endpoint);
      await deliveryBecomes(api, other, hasState('delivered'));
      expect(arrivals(other)).toBe(2);
      expect(arrivals(id)).toBe(1);
      expectProblem(
        await api.post(`/api/v1/submissions/${id}/retry-webhook`),
        ...([409, 'The submission is in spam or trash'] as const),
      );
      const list = `/api/v1/forms/${form.formId}/deliveries?state=pending`;
      const { data, created_at } = (await api.get(`/api/v1/submissions/${id}`)).body;
      const [paused, ...others] = (await api.get(`${list}&include=submission_data`)).body.data;
      expect(others).toEqual([]);
      expect(paused).toMatchObject({ submission_id: id, paused_in: folder, submission_data: data });
      expect(Date.parse(paused.last_attempt_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
      expect((await api.get(list)).body.data[0]).not.toHaveProperty('submission_data');
      const [item] = (await api.get(`/api/v1/forms/${form.formId}/destinations`)).body.data;
      expect(item.status.waiting).toBe(0);
      await move(api, [id], 'inbox');
      await deliveryBecomes(api, id, hasState('delivered'));
      await receiver.close();
    },
  );
});

describe('the trash', () => {
  it('is kept for 30 days, then deleted with its files', async () => {
    const almost30Days = (30 * 24 - 1) * 60 * 60 * 1000;
    const server = await startTimeServer(almost30Days);
    try {
      const api = client(server.url);
      const form = await makeForm(server.url);
      const parts = [filePart('a', 'a.txt', Buffer.from('content'), 'text/plain')];
      const sent = await postMultipart(form.endpoint, parts, { accept: 'application/json' });
      const trashed: string = sent.body.submission_id;
      const [spam, restored] = [await submit(form.endpoint), await submit(form.endpoint)];
      const fileId = (await api.get(`/api/v1/submissions/${trashed}`)).body.files[0].id;
      const canaries = [await oldOnes(server), await oldOnes(server)];
      await move(api, [trashed, restored], 'trash');
      await move(api, [spam], 'spam');
      await server.step();
      // Twice: the first cleanup may have started before the clock was set.
      for (const expire of canaries) await expire();
      expect((await api.get(`/api/v1/submissions/${trashed}`)).status).toBe(200);
      await move(api, [restored], 'archive');
      await server.step();
      await becomes(
        () => api.get(`/api/v1/submissions/${trashed}`),
        ({ status }) => status === 404,
      );
      expect((await api.get(`/api/v1/files/${fileId}`)).status).toBe(410);
      for (const other of [spam, restored])
        expect((await api.get(`/api/v1/submissions/${other}`)).status).toBe(200);
    } finally {
      await server.dispose();
    }
  });
});

/** Makes a submission. The returned function has the next cleanup delete it, and resolves when it has. */
async function oldOnes({ url }: RunningServer): Promise<() => Promise<void>> {
  const api = client(url);
  const form = await makeForm(url);
  const id = await submit(form.endpoint);
  return async () => {
    await api.patch(`/api/v1/forms/${form.formId}`, { retention_days: 1 });
    await becomes(
      () => api.get(`/api/v1/submissions/${id}`),
      ({ status }) => status === 404,
    );
  };
}
