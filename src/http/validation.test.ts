import { readdirSync } from 'node:fs';
import { Ajv } from 'ajv';
import Fastify, { type FastifyInstance } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { CreateForm } from '../contract/form.js';
import { PageQuery } from '../contract/paging.js';
import type { Fault, Refusal } from '../model/errors.js';
import { createValidatorCompiler } from './validation.js';

function appWith(schema: { body?: TSchema; querystring?: TSchema }): FastifyInstance {
  const app = Fastify();
  app.setValidatorCompiler(createValidatorCompiler());
  app.setErrorHandler((error, _request, reply) => reply.status(400).send((error as Refusal).extra));
  app.post('/', { schema }, async ({ body, query }) => ({ body, query }));
  return app;
}

async function faultsIn(app: FastifyInstance, payload: unknown): Promise<readonly Fault[]> {
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
  return answer.statusCode === 200 ? [] : answer.json<{ details: Fault[] }>().details;
}

const createForm = appWith({ body: CreateForm });

/** The faults of a body, as a client reads them; an empty list when it was accepted. */
const faultsOf = (payload: unknown) => faultsIn(createForm, payload);

const names = ['http-url', 'email', 'instant', 'ip-or-cidr', 'origin-host'];
const formats = appWith({
  body: Type.Partial(
    Type.Object(Object.fromEntries(names.map((format) => [format, Type.String({ format })]))),
  ),
});

async function accepts(format: string, text: string): Promise<boolean> {
  const faults = await faultsIn(formats, { [format]: text });
  return faults.length === 0;
}

describe('faults', () => {
  it('are all named at once, each with its place and in words', async () => {
    const faults = await faultsOf({
      nmae: 'typing mistake',
      webhook_url: 'ftp://example.com',
      is_active: 'yes',
      validation_mode: 'test',
      allowed_origins: ['example.com', 'not a host'],
      notify_emails: ['a@example.com', 7],
      retention_days: 0,
    });
    const byPath = Object.fromEntries(faults.map(({ path, message }) => [path, message]));
    expect(byPath).toEqual({
      name: 'is required',
      nmae: 'is not a known field',
      webhook_url: 'must be an http or https URL without user name and password, of at most 2048 bytes',
      is_active: 'must be boolean',
      validation_mode: 'must be one of live, sandbox',
      'allowed_origins.1': 'must be a host name such as example.com or *.example.com',
      'notify_emails.1': 'must be string',
      retention_days: 'must be >= 1',
    });
  });

  it('say what is wrong with a blank name, a body that is no object, and strange characters', async () => {
    expect(await faultsOf({ name: ' \n' })).toEqual([{ path: 'name', message: 'must not be blank' }]);
    expect(await faultsOf([])).toEqual([{ path: '', message: 'must be object' }]);
    expect(await faultsOf({ name: 'x', sandbox_api_key: 'sixteen letters é' })).toEqual([
      { path: 'sandbox_api_key', message: 'has characters that are not allowed' },
    ]);
  });

  it('are bounded, in number and in what is repeated of the request', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
    expect(await faultsOf({ name: 'x', ...many })).toHaveLength(50);
    const [fault] = await faultsOf({ name: 'x', ['y'.repeat(5_000)]: 1 });
    expect(fault?.path).toBe('y'.repeat(100));
  });

  it('of a size are named alone: what is in a list that is too long is not looked at', async () => {
    expect(
      await faultsOf({ nmae: 1, sandbox_ips: new Array(1_001).fill('no address'), allowed_origins: [7] }),
    ).toEqual([{ path: 'sandbox_ips', message: 'must NOT have more than 1000 items' }]);
    expect(await faultsOf({ nmae: 1, name: 'n'.repeat(401) })).toEqual([
      { path: 'name', message: 'must NOT have more than 200 characters' },
    ]);
    const origins = await faultsOf({ name: 'x', allowed_origins: new Array(100).fill('o'.repeat(601)) });
    expect(origins).toHaveLength(50);
    expect(origins[49]).toEqual({
      path: 'allowed_origins.49',
      message: 'must NOT have more than 300 characters',
    });
  });

  it('of a text that is just too long are named with all others, and counted in characters', async () => {
    const faults = await faultsOf({ nmae: 1, name: 'n'.repeat(201) });
    expect(faults.map(({ path }) => path).sort()).toEqual(['name', 'nmae']);
    expect(await faultsOf({ name: '😀'.repeat(200) })).toEqual([]);
    expect(await faultsOf({ name: '😀'.repeat(201) })).toHaveLength(1);
  });

  it('of a query are bounded too', async () => {
    const app = appWith({ querystring: PageQuery });
    const many = Array.from({ length: 500 }, (_, index) => `x${index}=1`).join('&');
    const answer = await app.inject({ method: 'POST', url: `/?${many}` });
    expect(answer.json().details).toHaveLength(50);
  });
});

describe('values', () => {
  it('of a body are taken literally: "5" is no number', async () => {
    expect(await faultsOf({ name: 'x', retention_days: '5' })).toEqual([
      { path: 'retention_days', message: 'must be integer or null' },
    ]);
    expect(await faultsOf({ name: 5 })).toEqual([{ path: 'name', message: 'must be string' }]);
  });

  it('of a query are text, so numbers are converted, and nothing else passes for one', async () => {
    const app = appWith({ querystring: PageQuery });
    const read = (query: string) => app.inject({ method: 'POST', url: `/?${query}` });
    expect((await read('limit=5')).json().query).toEqual({ limit: 5 });
    for (const query of [
      'limit=',
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=x',
      'limit=1&limit=2',
      'page=2',
    ]) {
      expect((await read(query)).statusCode, query).toBe(400);
    }
  });
});

describe('formats', () => {
  it.each([
    ['https://example.com', true],
    ['http://localhost:3000/x?y=1#z', true],
    ['HTTPS://EXAMPLE.COM/', true],
    ['https://例え.jp/ありがとう', true],
    ['ftp://example.com', false],
    ['javascript:alert(1)', false],
    ['//example.com', false],
    ['https://', false],
    ['https://user:pass@example.com', false],
    ['https://user@example.com', false],
    [' https://example.com', false],
    ['https://example.com/ x', false],
    ['https://example.com/\r\nX-Evil: 1', false],
    ['https://example.com/\t', false],
    ['https://example.com/\0', false],
  ])('http-url: %j is %s', async (text, isGood) => {
    expect(await accepts('http-url', text)).toBe(isGood);
  });

  it.each([
    ['ada@example.com', true],
    ['ada.lovelace+forms@mail.example.co.uk', true],
    ['ädä@example.com', true],
    ['ada', false],
    ['ada@', false],
    ['@example.com', false],
    ['a@b@example.com', false],
    ['Ada <ada@example.com>', false],
    ['a@example.com,b@example.com', false],
    ['a@example.com\r\nBcc: b@example.com', false],
    ['a\n@example.com', false],
    ['a b@example.com', false],
  ])('email: %j is %s', async (text, isGood) => {
    expect(await accepts('email', text)).toBe(isGood);
  });

  it.each([
    ['2026-01-31T12:00:00Z', true],
    ['2026-01-31T12:00:00.123456+02:00', true],
    ['2026-01-31T12:00Z', true],
    ['2026-01-31', true],
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-02-31T00:00:00Z', false],
    ['2026-13-01', false],
    ['2026-01-31T25:00:00Z', false],
    ['2026-01-31T12:00:00', false],
    ['2026-01-31 12:00:00Z', false],
    ['31 Jan 2026', false],
    ['1769860800', false],
    ['', false],
  ])('instant: %j is %s', async (text, isGood) => {
    expect(await accepts('instant', text)).toBe(isGood);
  });

  it.each([
    ['203.0.113.7', true],
    ['203.0.113.0/24', true],
    ['2001:db8::/32', true],
    ['203.0.113.0/33', false],
    ['203.0.113', false],
    ['example.com', false],
  ])('ip-or-cidr: %j is %s', async (text, isGood) => {
    expect(await accepts('ip-or-cidr', text)).toBe(isGood);
  });

  it.each([
    ['example.com', true],
    ['*.example.com', true],
    ['https://example.com', true],
    ['*', false],
    ['a b', false],
    ['exa*mple.com', false],
  ])('origin-host: %j is %s', async (text, isGood) => {
    expect(await accepts('origin-host', text)).toBe(isGood);
  });
});

describe('the schemas of the contract', () => {
  it('are schemas, since nobody looks while the service runs', async () => {
    const folder = new URL('../contract/', import.meta.url);
    const ajv = new Ajv({ strict: false });
    let checked = 0;
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
      const exported = Object.entries((await import(new URL(file, folder).href)) as Record<string, unknown>);
      for (const [name, value] of exported) {
        if (typeof value !== 'object' || value === null || !('type' in value || 'anyOf' in value)) continue;
        expect(ajv.validateSchema(value), `${file} ${name}: ${ajv.errorsText()}`).toBe(true);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(30);
  });
});
