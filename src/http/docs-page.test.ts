import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { docsRoutes } from './docs-page.js';

it('logs an internal error, and tells clients nothing about it', async () => {
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
  docsRoutes(app, {
    document: () => broken,
    basePath: '',
    onFault: (error, path) => faults.push([String(error), path]),
  });
  try {
    const answer = await app.inject('/docs/json');
    expect([answer.statusCode, answer.json()]).toEqual([
      500,
      { error: 'Internal server error', code: 'internal_error' },
    ]);
    expect(faults).toEqual([['Error: a secret of the machine', '/docs']]);
  } finally {
    await app.close();
  }
});
