import { expect, it } from 'vitest';
import { loadConfig } from '../../config/load.js';
import { settingsChecks } from './settings.js';

const token = 'ops-token-0123456789';
const publicBase = { BASE_URL: 'https://forms.example.com' };

it.each([
  [{}, 'ok', '/metrics is open to this machine'],
  [{ HOST: '0.0.0.0' }, 'warn', '/metrics is open to everyone who reaches 0.0.0.0'],
  [publicBase, 'warn', '/metrics is not served: neither OPS_TOKEN nor OPS_PORT is set'],
  [{ ...publicBase, OPS_TOKEN: token }, 'ok', '/metrics needs OPS_TOKEN'],
  [{ ...publicBase, OPS_PORT: '9464' }, 'ok', '/metrics is on OPS_PORT 9464 and needs no token'],
  [{ OPS_PORT: '9464', OPS_TOKEN: token }, 'ok', '/metrics is on OPS_PORT 9464 and needs OPS_TOKEN'],
])('%j: the doctor says %s, %s', (env, state, message) => {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
  const found = settingsChecks(loaded.config, env).find(({ name }) => name === 'monitoring');
  expect(found).toMatchObject({ state, message: expect.stringContaining(message) });
  expect(JSON.stringify(found)).not.toContain(token);
});
