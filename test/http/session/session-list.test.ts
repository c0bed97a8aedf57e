/** Where a user is signed in. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDeleted, expectFields, expectProblem } from '../../support/contract.js';
import { behindProxy, madePerson, signedIn, withAdmin } from '../../support/dashboard.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

type Item = Readonly<Record<'id' | 'address' | 'user_agent', string>> & { readonly current: boolean };

it('lists the own sessions and ends one of them, or all others', async () => {
  const somebody = await madePerson(server, apiKey);
  const here = await signedIn(server, somebody);
  const [there, far] = [await signedIn(server, somebody), await signedIn(server, somebody)];
  const listed = (await here.ask('GET', '/session/list')).body.data as readonly Item[];
  expect(listed).toHaveLength(3);
  for (const item of listed) {
    expectFields(item, ['id', 'created_at', 'last_seen_at', 'address', 'user_agent', 'current']);
    expect(item.address).toMatch(/^198\.18\./);
    expect(item.user_agent).not.toBe('');
  }
  expect(listed.filter(({ current }) => current)).toHaveLength(1);
  const seenThere = (await there.ask('GET', '/session/list')).body.data as readonly Item[];
  const own = seenThere.find(({ current }) => current)?.id ?? '';
  expectDeleted(await here.ask('DELETE', `/session/list/${own}`));
  expectProblem(await there.ask('GET', '/session'), 401, 'Not signed in');
  expect((await far.ask('GET', '/session')).status).toBe(200);
  expectDeleted(await here.ask('DELETE', '/session/list'));
  expectProblem(await far.ask('GET', '/session'), 401, 'Not signed in');
  expect((await here.ask('GET', '/session')).status).toBe(200);
  expect((await here.ask('GET', '/session/list')).body.data).toHaveLength(1);
});

it('does not list sessions of other users', async () => {
  const ada = await signedIn(server);
  const other = await signedIn(server, await madePerson(server, apiKey));
  const [item] = (await other.ask('GET', '/session/list')).body.data;
  expectProblem(await ada.ask('DELETE', `/session/list/${item.id}`), 404, 'Session not found');
  expect((await other.ask('GET', '/session')).status).toBe(200);
  expectDeleted(await ada.ask('DELETE', '/session/list'));
  expect((await other.ask('GET', '/session')).status).toBe(200);
});
