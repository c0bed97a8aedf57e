/** The reference matches this program: its examples, its errors, its events and its metrics. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsIn } from '../../scripts/reference/metrics.mjs';
import { beforeOperations, errorsOf, ownErrors } from '../../scripts/reference/operation-errors.mjs';
import { statusOfKind } from '../../src/http/problem.js';
import { type ErrorCode, errorCatalogue } from '../../src/model/error-catalogue.js';
import { declaredFor } from '../support/document-check.js';
import { operationsOf, readDocument, readExamples } from '../support/reference.js';
import { type RunningServer, startServer } from '../support/server.js';

const document = await readDocument();
const operations = operationsOf(document);
const examples = await readExamples();

const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);
const statusOf = (code: string): number => {
  if (!isCode(code)) throw new Error(`There is no error ${code}`);
  return statusOfKind(errorCatalogue[code].kind);
};

describe('the recorded examples', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
  ajv.addSchema(document, 'openapi');
  const faultOf = (schema: object, value: unknown): string | null => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };

  it('are there for every operation, and for no other', () => {
    expect(Object.keys(examples.operations).sort()).toEqual(
      operations.map(({ operationId }) => operationId).sort(),
    );
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s fits its schemas',
    (operationId, { requestBody, responses }) => {
      const { request, response } = examples.operations[operationId] ?? {};
      const sent = requestBody?.content[request?.type ?? ''];
      expect(request?.type !== undefined).toBe(requestBody !== undefined);
      if (sent) expect(faultOf(sent.schema, request?.body)).toBeNull();
      const declared = responses[String(response?.status)];
      expect(declared).toBeDefined();
      expect(Object.hasOwn(response ?? {}, 'type') && response?.type === null).toBe(
        declared?.content === undefined,
      );
      const got = declared?.content?.[response?.type ?? ''];
      if (response?.type === 'application/json') expect(faultOf(got?.schema ?? {}, response.body)).toBeNull();
    },
  );

  it('hold no secret and no address of the machine that they were recorded on', () => {
    const text = JSON.stringify(examples);
    expect(text).not.toMatch(/127\.0\.0\.1|inlet-docs-|\/tmp\//);
  });
});

describe('the errors of the operations', () => {
  const all = operations.map((operation) => ({
    operation,
    codes: Object.values(errorsOf({ ...operation, isForVisitors: operation.path.startsWith('/f/') })).flat(),
  }));

  it('are listed for every operation, and for no other', () => {
    expect(Object.keys(ownErrors).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  });

  it('have the statuses that the document declares', () => {
    const undeclared = all.flatMap(({ operation, codes }) =>
      codes
        .filter((code) => declaredFor(operation.responses, statusOf(code)) === undefined)
        .map((code) => `${operation.operationId}: ${code}`),
    );
    expect(undeclared).toEqual([]);
    const unexplained = all.flatMap(({ operation, codes }) =>
      Object.keys(operation.responses)
        .filter((status) => status >= '400' && !status.endsWith('XX'))
        .filter((status) => !codes.some((code) => String(statusOf(code)) === status))
        .map((status) => `${operation.operationId}: ${status}`),
    );
    expect(unexplained).toEqual([]);
  });

  it('are all that the catalogue has', () => {
    const returned = new Set([...all.flatMap(({ codes }) => codes), ...beforeOperations]);
    const elsewhere = ['invalid_ops_token'];
    expect([...returned, ...elsewhere].sort()).toEqual(Object.keys(errorCatalogue).sort());
  });
});

it('has an example of every event that the document names', () => {
  const stream = JSON.stringify(document.paths['/api/v1/events']?.get);
  const named = new Set(stream.match(/\b(submission|delivery|destination|audit)\.[a-z]+\b|\bheartbeat\b/g));
  expect(Object.keys(examples.events).sort()).toEqual([...named].sort());
});

describe('the metrics', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.dispose());

  it('are those of a running instance', async () => {
    const response = await fetch(`${server.url}/metrics`);
    const essence = (metrics: ReturnType<typeof metricsIn>) =>
      metrics.map(({ name, type, help }) => `${name} ${type} ${help}`);
    expect(essence(metricsIn(await response.text()))).toEqual(essence(examples.metrics));
  });
});
