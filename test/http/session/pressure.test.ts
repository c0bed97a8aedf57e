/** Many sign-ins at the same moment: all are processed, and a flood from a few networks delays no other network. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin, behindProxy, signIn, withAdmin } from '../../support/dashboard.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

const attempt = (name: string, address: string) =>
  signIn(server, { email: `${name}@example.com`, password: 'a guess' }, { 'x-forwarded-for': address });

it('judges forty attempts at once from forty networks', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => attempt(`person-${i}`, `10.1.${i}.1`)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
});

it('serves others before a flood that came first', async () => {
  let answered = 0;
  const flood = Array.from({ length: 80 }, async (_, i) => {
    const answer = await attempt(`flood-${i}`, `10.2.0.${i % 8}`);
    answered += 1;
    return answer.status;
  });
  const others = await Promise.all([
    ...Array.from({ length: 4 }, (_, i) => attempt(`other-${i}`, `10.3.${i}.1`)),
    signIn(server, admin, { 'x-forwarded-for': '10.3.9.1' }),
  ]);
  expect(others.map(({ status }) => status)).toEqual([401, 401, 401, 401, 200]);
  expect(answered).toBeLessThan(60);
  // Sign-ins beyond what one network may have waiting get 503.
  expect(new Set(await Promise.all(flood))).toEqual(new Set([401, 503]));
});
