/**
 * Checks every response of /api/v1 and /f against the OpenAPI document: its status and media type must be declared, its JSON must fit the
 * schema, and an error must be one that the reference lists for the operation. The test clients call it for each response.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeOperations, errorsOf } from '../../scripts/reference/operation-errors.mjs';
import { whole } from '../../scripts/reference/whole.mjs';
import { type ErrorCode, errorCatalogue } from '../../src/model/error-catalogue.js';

interface Content {
  readonly schema?: object;
}
interface Described {
  readonly content?: Readonly<Record<string, Content>>;
}
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly operationId: string; readonly responses: Readonly<Record<string, Described>> }
        >
      >
    >
  >;
}

export interface Exchanged {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** Origins of this build. Other releases and proxies have their own documents and errors. */
const servers = new Set<string>();
let document: Document | null = null;
let templates: readonly Template[] = [];
const validators = new Map<string, ValidateFunction>();

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: true, logger: false });
const formats = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
};
for (const [name, shape] of Object.entries(formats)) ajv.addFormat(name, shape);

/** All servers of a worker have the same document, so it is fetched from the first one only. */
export async function watchServer(url: string): Promise<void> {
  servers.add(url);
  if (document !== null) return;
  const answer = await fetch(`${url}/openapi.json`);
  const text = await answer.text();
  if (answer.status !== 200 || document !== null) return;
  document = whole(JSON.parse(text) as Document);
  templates = templatesOf(document);
  ajv.addSchema(document, 'openapi');
}

interface Template {
  readonly template: string;
  readonly shape: RegExp;
}

/** Concrete paths before those with parameters. */
const templatesOf = ({ paths }: Document): readonly Template[] =>
  Object.keys(paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((template) => ({
      template,
      shape: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`),
    }));

const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

function faultOfJson(text: string, at: string): string | null {
  let validate = validators.get(at);
  if (!validate) {
    validate = ajv.compile({ $ref: `openapi#${at}` });
    validators.set(at, validate);
  }
  const body: unknown = JSON.parse(text);
  if (!validate(body)) return ajv.errorsText(validate.errors);
  return null;
}

/** Every operation of the management API may return these, and declares them together. */
const usualStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 408, 413, 429]);

export function declaredFor<Response>(
  responses: Readonly<Record<string, Response>>,
  status: number,
): Response | undefined {
  if (status >= 500) return responses['5XX'];
  return responses[status] ?? (usualStatuses.has(status) ? responses['4XX'] : undefined);
}

/** Statuses of errors outside all routes: the request was invalid or incomplete. */
const belowRoutes = new Set([408, 417, 431]);

function faultOfProblem(status: number, text: string): string | null {
  const fault = faultOfJson(text, pointer('components', 'schemas', 'Problem'));
  if (fault !== null) return fault;
  const { error, code } = JSON.parse(text) as { error: string; code: string };
  if (
    Object.keys(JSON.parse(text) as object)
      .slice(0, 2)
      .join() !== 'error,code'
  )
    return 'error and code must come first';
  if (!Object.hasOwn(errorCatalogue, code)) return `unknown code ${code}`;
  const { text: pattern } = errorCatalogue[code as ErrorCode];
  const shape = new RegExp(`^${pattern.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '\\d+')}$`);
  return shape.test(error) ? null : `"${error}" is not the text of ${code}, status ${status}`;
}

/** The reference lists the errors of each operation, so a response must not have another one. */
function faultOfCode(operationId: string, method: string, template: string, text: string): string | null {
  const { code } = JSON.parse(text) as { code: string };
  const { own, usual } = errorsOf({ operationId, method, isForVisitors: template.startsWith('/f/') });
  const isListed = [...own, ...usual, ...beforeOperations].includes(code);
  return isListed ? null : `${code} is not among the errors of ${operationId} (operation-errors.mjs)`;
}

function faultOf({ method, url, status, type, text }: Exchanged, described: Document): string | null {
  const { pathname } = new URL(url);
  const media = (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (status >= 400 && media === 'application/json') {
    const fault = faultOfProblem(status, text);
    if (fault !== null) return fault;
  }
  const template = templates.find(({ shape }) => shape.test(pathname))?.template;
  const operation = template === undefined ? undefined : described.paths[template]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined)
    return [404, 405].includes(status) ? null : 'the operation is not declared';
  const isMalformed = status === 400 && text.includes('"malformed_request"');
  if (belowRoutes.has(status) || isMalformed) return null;
  const declared = declaredFor(operation.responses, status);
  if (declared === undefined) return 'the status is not declared';
  if (status >= 400 && media === 'application/json') {
    const fault = faultOfCode(operation.operationId, method, template, text);
    if (fault !== null) return fault;
  }
  const { content } = declared;
  if (content === undefined) return text === '' ? null : 'the response must have no body';
  const key = Object.keys(content).find((known) =>
    new RegExp(`^${known.replace('*', '[^/]+')}$`).test(media),
  );
  // Only described in words: declared, it would give generated clients, which send JSON, a second type for every success.
  const isFragment = template === '/f/{form_id}' && status === 200 && media === 'text/html';
  if (isFragment) return null;
  if (key === undefined) return `the media type ${media} is not declared`;
  if (media !== 'application/json' || status >= 400) return null;
  return faultOfJson(
    text,
    pointer('paths', template, method.toLowerCase(), 'responses', String(status), 'content', key, 'schema'),
  );
}

export function checkResponse(exchanged: Exchanged): void {
  const { method, url, status, text } = exchanged;
  if (document === null || method === 'HEAD' || method === 'OPTIONS') return;
  if (!URL.canParse(url) || !servers.has(new URL(url).origin)) return;
  if (!/^\/(api\/v1|f)\//.test(new URL(url).pathname)) return;
  const fault = faultOf(exchanged, document);
  if (fault !== null)
    throw new Error(`${method} ${url} → ${status} contradicts openapi.json: ${fault}\n${text.slice(0, 500)}`);
}
