import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { docsRoutes } from './docs-page.js';

it('tells of a fault of ours, and strangers nothing of it', async () => {
  const faults: unknown[] = [];
  const app = Fastify();
  const broken = {
    openapi: '3.1.0',
    info: { title: 'Inlet', version: '1' },
    paths: {},
    toJSON: () => {
      throw new Error('a secret of the machine');
    },
  };
  app.decorate('swagger', () => broken as never);
  docsRoutes(app, { basePath: '', onFault: (error, path) => faults.push([String(error), path]) });
  try {
    const answer = await app.inject('/docs/json');
    expect([answer.statusCode, answer.json()]).toEqual([500, { error: 'Internal server error' }]);
    expect(faults).toEqual([['Error: a secret of the machine', '/docs']]);
  } finally {
    await app.close();
  }
});
