/** Deliveries in the dashboard: listed, explained, retried by hand and replayed. */
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveBrowser, sharedBrowser } from '../../support/chromium.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { withAdmin } from '../../support/dashboard.js';
import { type OpenDashboard, openDashboard } from '../../support/dashboard-pages.js';
import { refusingUrl, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import {
  deliveryBecomes,
  hasAttempts,
  hasState,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let browser: Browser;
let server: RunningServer;
let api: Client;
let open: OpenDashboard;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    sharedBrowser(),
    startHookServer({ ...withAdmin, WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05' }),
  ]);
  api = client(server.url);
  open = await openDashboard(browser, server);
});
afterAll(async () => {
  expect(await open.faults()).toEqual([]);
  await Promise.all([leaveBrowser(browser), server.dispose()]);
});

const attempts = (): Locator => open.page.locator('details.attempt');
const rows = (state: string | RegExp): Locator => open.page.locator('tbody tr').filter({ hasText: state });
const shown = (words: string): Promise<void> => open.page.getByText(words, { exact: true }).waitFor();
const choose = async (label: string, option: string): Promise<void> => {
  await open.page.getByRole('combobox', { name: label }).click();
  await open.page.getByRole('option', { name: option }).click();
};

const failed = async (url: string): Promise<MadeForm & { readonly submissionId: string }> => {
  const form = await makeForm(server.url, { form: { webhook_url: url } });
  const submissionId = await submit(form.endpoint);
  await deliveryBecomes(api, submissionId, hasState('failed'));
  return { ...form, submissionId };
};

/** A form whose endpoint is failing, and submissions whose deliveries have failed for good. */
async function givenUp(
  count: number,
): Promise<{ form: MadeForm; receiver: TurningReceiver; ids: readonly string[] }> {
  const receiver = await startTurning({ status: 503 });
  const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
  const ids = await Promise.all(Array.from({ length: count }, () => submit(form.endpoint)));
  await Promise.all(ids.map((id) => deliveryBecomes(api, id, hasState('failed'))));
  return { form, receiver, ids };
}

describe('the timeline of a submission', () => {
  it('says what a receiver answered, and follows a retry by hand until it has arrived', async () => {
    const receiver = await startTurning({ status: 503, body: '<i>closed</i>' });
    const { submissionId } = await failed(receiver.url);
    await open.go(`/submissions/${submissionId}`);
    await open.page.getByText('Failed', { exact: true }).waitFor();
    for (const step of ['Received', 'Checks passed', 'Stored', 'Webhook'])
      await open.page.getByText(step, { exact: true }).waitFor();
    await expect.poll(() => attempts().count()).toBe(4);
    await open.page.getByRole('button', { name: 'Show 1 earlier' }).click();
    await expect.poll(() => attempts().count()).toBe(5);
    await expect.poll(() => attempts().getByText('The endpoint returned 503').count()).toBe(5);
    await attempts()
      .last()
      .locator('summary')
      .getByText(/(just now|ago) · /)
      .waitFor();
    await attempts().first().locator('summary').click();
    await attempts().first().getByText('Attempt 5 ·').waitFor();
    await attempts().first().getByText('<i>closed</i>').waitFor();
    const part = 'details.attempt details:first-of-type > summary';
    const signOf = (summary: string): Promise<unknown> =>
      open.page.evaluate(
        `getComputedStyle(document.querySelector(${JSON.stringify(summary)}), '::before').transform`,
      );
    await open.page.locator(part).first().waitFor();
    const folded = await signOf(part);
    expect(folded, 'a folded part of an open attempt').toBe(
      await signOf('details.attempt:not([open]) > summary'),
    );
    await open.page.locator(part).first().click();
    await expect.poll(() => signOf(part)).not.toBe(folded);
    await attempts().first().getByText('· to 127.0.0.1').waitFor();

    receiver.turnTo({ status: 200, body: 'thanks' });
    await open.page.getByRole('button', { name: 'Retry failed (1)' }).click();
    await open.page.getByText('Delivered', { exact: true }).waitFor();
    await attempts().first().getByText('The endpoint returned 200').waitFor();
    await attempts().first().locator('summary').click();
    await attempts().first().getByText('Attempt 6, by hand').waitFor();
    await open.page.getByText('Failed', { exact: true }).waitFor({ state: 'detached' });
    expect(receiver.requests).toHaveLength(6);
    await receiver.close();
  });

  it('says when nobody could be reached', async () => {
    const { submissionId } = await failed(await refusingUrl());
    await open.go(`/submissions/${submissionId}`);
    await expect.poll(() => attempts().getByText('Could not connect: refused').count()).toBe(4);
    await open.page.getByRole('button', { name: 'Show 1 earlier' }).waitFor();
  });

  it('turns by itself while somebody looks on', async () => {
    const receiver = await startTurning('hang');
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(form.endpoint);
    await open.go(`/submissions/${id}`);
    await open.page.getByText('Waiting', { exact: true }).waitFor();
    await expect.poll(() => receiver.requests.length).toBe(1);
    receiver.release();
    await open.page.getByText('Delivered', { exact: true }).waitFor();
    await receiver.close();
  });

  it.each(['spam', 'trash'])('says that nothing is sent while it is in %s', async (folder) => {
    const receiver = await startTurning('hang');
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await submit(form.endpoint, { name: 'Grace' });
    await expect.poll(() => receiver.requests.length).toBe(1);
    const moved = await api.post('/api/v1/submissions/update', { ids: [id], change: { folder } });
    expect(moved.status).toBe(200);
    receiver.release({ status: 503 });
    await deliveryBecomes(api, id, hasAttempts(1));
    await open.go(`/submissions/${id}`);
    await shown(`Paused (in ${folder})`);
    await attempts().getByText('The endpoint returned 503').waitFor();
    expect(await open.page.getByRole('button', { name: /^(Retry|Send)/ }).count()).toBe(0);
    expect(await open.page.getByText(/^Next attempt/).count()).toBe(0);
    await open.go(`/forms/${form.formId}/deliveries`);
    await rows('Grace').getByText(`Paused (in ${folder})`, { exact: true }).waitFor();
    expect(await rows('Grace').getByRole('checkbox').isDisabled()).toBe(true);
    expect(await open.page.getByRole('button', { name: 'Send all waiting now' }).count()).toBe(0);
    await open.go(`/forms/${form.formId}?folder=${folder}`);
    await rows('Grace').getByText('Paused', { exact: true }).waitFor();
    expect(await rows('Grace').getByText('Waiting', { exact: true }).count()).toBe(0);
    await receiver.close();
  });

  it('says that there was nobody to send it to', async () => {
    const { endpoint } = await makeForm(server.url);
    await open.go(`/submissions/${await submit(endpoint)}`);
    await open.page.getByText('There was no destination when it arrived.').waitFor();
    expect(await open.page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  });
});

describe('the deliveries of a form', () => {
  it('lead to the destinations while nothing has been sent', async () => {
    const form = await makeForm(server.url);
    await open.go(`/forms/${form.formId}/deliveries`);
    await open.page.getByRole('link', { name: 'See destinations' }).click();
    await open.page.getByRole('link', { name: 'Add destination' }).waitFor();
  });

  it('are narrowed by state and by receiver, there and in the project', async () => {
    const [good, bad] = await Promise.all([startAnswering(), startAnswering({ status: 410 })]);
    const form = await makeForm(server.url, {
      project: { webhook_url: good.url },
      form: { webhook_url: bad.url },
    });
    for (const name of ['Ada', 'Bob']) {
      const id = await submit(form.endpoint, { name });
      await expect
        .poll(async () => (await api.get(`/api/v1/submissions/${id}/deliveries`)).body.data)
        .toEqual(
          expect.arrayContaining([
            expect.objectContaining({ state: 'failed' }),
            expect.objectContaining({ state: 'delivered' }),
          ]),
        );
    }
    for (const [path, about] of [
      [`/forms/${form.formId}`, 'Ada'],
      [`/projects/${form.projectId}`, 'Ada · Contact'],
    ] as const) {
      await open.go(`${path}/deliveries`);
      await shown('4 deliveries');
      const subjects = open.page.locator('tbody').getByRole('link', { name: about, exact: true });
      await expect.poll(() => subjects.count()).toBe(2);
      await expect.poll(() => rows(/The endpoint returned 200 · (just now|\d+ \w+ ago)/).count()).toBe(2);
      await choose('State', 'Failed');
      await shown('2 deliveries');
      await expect.poll(() => rows('410 Gone; no more attempts').count()).toBe(2);
      await choose('Destination', new URL(good.url).host);
      await open.page.getByText('No matches').waitFor();
      await choose('State', 'Delivered');
      await shown('2 deliveries');
      await expect.poll(() => rows('The endpoint returned 200').count()).toBe(2);
      await open.page.reload();
      await shown('2 deliveries');
    }
    await rows('The endpoint returned 200').first().getByRole('link').click();
    await open.page.getByText('of the project').waitFor();
    await open.page.getByRole('button', { name: 'Retry failed (1)' }).waitFor();
    const before = [good.requests.length, bad.requests.length] as const;
    await open.page.getByRole('button', { name: 'Retry', exact: true }).click();
    await shown('1 delivery queued');
    await attempts().getByText('The endpoint returned 200').waitFor();
    await expect.poll(() => bad.requests.length).toBe(before[1] + 1);
    expect(good.requests).toHaveLength(before[0]);
    await Promise.all([good.close(), bad.close()]);
  });

  // A submission and its delivery emit two events within milliseconds. The second was once missed.
  it('show what comes, and how it ended, while somebody looks on', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    await deliveryBecomes(api, await submit(form.endpoint), hasState('delivered'));
    await Promise.all([
      open.page.waitForResponse((answer) => answer.url().endsWith('/api/v1/events')),
      open.go(`/forms/${form.formId}/deliveries`),
    ]);
    await shown('1 delivery');
    for (let count = 2; count <= 4; count += 1) {
      await submit(form.endpoint);
      await shown(`${count} deliveries`);
      await expect.poll(() => rows('Delivered').count()).toBe(count);
    }
    await receiver.close();
  });
});

describe('a replay', () => {
  it('counts first, sends all again under their old ids, and says when it is done', async () => {
    const { form, receiver, ids } = await givenUp(12);
    const before = receiver.requests.length;
    receiver.turnTo({ status: 200 });
    await open.go(`/forms/${form.formId}/deliveries`);
    await shown('12 deliveries');
    await open.page.getByRole('button', { name: 'Replay' }).click();
    const dialog = open.page.getByRole('dialog');
    await dialog.getByText('12 deliveries, 600 per minute: about 1 second.').waitFor();
    for (const state of ['Delivered', 'Waiting']) {
      await dialog.getByText(state, { exact: true }).click();
      await dialog.getByText('No matching deliveries.').waitFor();
    }
    await dialog.getByText('Failed', { exact: true }).click();
    await dialog.getByText('12 deliveries, 600').waitFor();
    // Counting sends nothing.
    expect(receiver.requests).toHaveLength(before);
    await dialog.getByRole('button', { name: 'Replay 12 deliveries' }).click();
    await dialog.getByText('All 12 deliveries queued again').waitFor();
    await Promise.all(ids.map((id) => deliveryBecomes(api, id, hasState('delivered'))));
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect.poll(() => rows('Delivered').count()).toBe(12);
    const again = receiver.requests.slice(before).map(({ body }) => JSON.parse(body.toString()));
    expect(again.map(({ submission }) => submission.id).sort()).toEqual([...ids].sort());
    // The dialog starts with the filter of the list.
    await open.go(`/forms/${form.formId}/deliveries?state=delivered`);
    await open.page.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByText('12 deliveries, 600').waitFor();
    await receiver.close();
  });

  it('that goes on is seen, and can be stopped', async () => {
    const { form, receiver } = await givenUp(3);
    const before = receiver.requests.length;
    // At one per minute, the first is due long after the test.
    const started = await api.post('/api/v1/deliveries/replay', { form_id: form.formId, per_minute: 1 });
    await open.go(`/forms/${form.formId}/deliveries`);
    await open.page.getByText('0 of 3 queued again · about 3 minutes left').waitFor();
    await open.page.getByRole('button', { name: 'Stop' }).click();
    await open.page.getByText('Stopped after 0 deliveries; queued deliveries are still sent').waitFor();
    const replay = await api.get(`/api/v1/deliveries/replays/${started.body.id}`);
    expect(replay.body).toMatchObject({ status: 'cancelled', sent: 0, count: 3 });
    expect(receiver.requests).toHaveLength(before);
    await receiver.close();
  });
});
