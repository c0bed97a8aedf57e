/** docs/reference/api: a page for each resource, from the OpenAPI document, the recorded examples and the error catalogue. */
import { createFields, linkTo } from './fields.mjs';
import { beforeOperations, errorsOf, usual } from './operation-errors.mjs';
import { samplesOf } from './samples.mjs';
import { whole } from './whole.mjs';

/** Texts of the program name pages by their path from the project root; these pages are two folders below docs/. */
const linked = (text) =>
  text.replace(/\bdocs\/(\w+\/[\w/-]+\.md)/g, (path, page) => `[${path}](../../${page})`);

const fence = (info, code) => [`\`\`\`${info}`, ...code.replace(/\n$/, '').split('\n'), '```', ''];

const slugOf = (tag) => tag.toLowerCase().replaceAll('-', '').replaceAll(' ', '-');

const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, definition]) => {
      const [title, ...rest] = definition.summary.split('; ');
      return {
        ...definition,
        path,
        method: method.toUpperCase(),
        title,
        about: [rest.join('; '), definition.description].filter(Boolean).map(asSentence).join(' '),
        isForVisitors: path.startsWith('/f/'),
      };
    }),
  );

const asSentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Users with a role or a higher one. */
const users = {
  viewer: 'any user',
  editor: 'a user who is an editor or owner',
  owner: 'a user who is an owner',
};

/** `roles` maps each permission to the lowest role that has it. A read-only key is a viewer. */
function callers({ operationId, method, security, isForVisitors, 'x-permission': permission }, roles) {
  if (isForVisitors) return 'Anyone. No API key is needed.';
  if (security?.length === 0)
    return operationId === 'getFileContent' ? 'The token in the address.' : 'Anyone.';
  if (security?.length === 1) return 'A signed-in user. API keys are not accepted.';
  const role = roles[permission] ?? (method === 'GET' ? 'viewer' : 'editor');
  const key = role === 'viewer' ? 'Any API key' : 'An API key with the scope `full`';
  const orToken = security?.length === 3 ? ', or a token in the address' : '';
  const needs = permission === undefined ? '' : ` Permission: \`${permission}\`.`;
  return `${key}, or ${users[role]}${orToken}.${needs}`;
}

function requestPart({ parameters = [], requestBody }, fields) {
  const places = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' };
  const listed = Object.entries(places).flatMap(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    return here.length === 0 ? [] : [`**${title}**`, '', ...fields.parameters(here)];
  });
  if (!requestBody) return listed;
  const [[type, { schema }], ...others] = Object.entries(requestBody.content);
  const types = [type, ...others.map(([other]) => other)].map((one) => `\`${one}\``).join(', ');
  const about = type === 'application/json' && others.length === 0 ? '' : ` ${types}`;
  const lines = fields.object(schema, 'request');
  const inWords = schema.description ? [schema.description, ''] : [];
  return [...listed, `**Body**${about}`, '', ...(lines.length > 0 ? lines : inWords)];
}

const shownBody = ({ type, body, bytes }) => {
  if (bytes !== undefined) return [];
  if (/\bjson$/.test(type ?? '') && typeof body === 'object')
    return fence('json', JSON.stringify(body, null, 2));
  return body ? fence('text', body) : [];
};

function responsePart({ responses }, { response }, fields) {
  const { status, headers, type } = response;
  const media = responses[status]?.content ?? {};
  const schema = media[type]?.schema;
  const name = schema && fields.nameOf(schema);
  const what = name ? linkTo(name) : (type ?? 'no body');
  if (name) fields.use(name);
  const others = Object.keys(responses).filter((one) => one < '400' && one !== String(status));
  return [
    `**Response** \`${status}\` ${what}${others.length > 0 ? `. Also possible: ${others.map((one) => `\`${one}\``).join(', ')}` : ''}`,
    '',
    ...Object.entries(headers).flatMap(([header, value]) => [`\`${header}: ${value}\``, '']),
    ...shownBody(response),
    ...(schema && !name && schema.properties ? fields.object(schema, 'response') : []),
  ];
}

/** The lowest status first. */
function errorLines(codes, { catalogue, statusOfKind }) {
  const lines = codes.map((code) => {
    const { kind, cause, remedy } = catalogue[code];
    return `- \`${statusOfKind(kind)}\` [\`${code}\`](../errors.md#${code}) ${cause} ${remedy}`;
  });
  return lines.sort((a, b) => a.slice(0, 7).localeCompare(b.slice(0, 7)));
}

function errorPart(operation, errors) {
  const { own, usual: common } = errorsOf(operation);
  return [
    '**Errors**',
    '',
    ...errorLines(own, errors),
    ...(common.length > 0 ? ['- The [errors of every operation](index.md#errors-of-every-operation).'] : []),
    '',
  ];
}

function operationPart(operation, exchange, fields, { 'x-permissions': roles }, errors) {
  const samples = Object.entries(samplesOf(operation, exchange));
  return [
    `## ${operation.title}`,
    '',
    `<a id="${operation.operationId}"></a>`,
    '',
    `\`${operation.method} ${operation.path}\` · operation \`${operation.operationId}\``,
    '',
    ...(operation.about ? [operation.about, ''] : []),
    `**Who can call it**: ${callers(operation, roles)}`,
    '',
    ...requestPart(operation, fields),
    '::: code-group',
    '',
    ...samples.flatMap(([info, code]) => fence(info, code)),
    ':::',
    '',
    ...responsePart(operation, exchange, fields),
    `<TryIt operation="${operation.operationId}" />`,
    '',
    ...errorPart(operation, errors),
  ];
}

/** Objects that operations refer to, directly or through other objects. */
function objectParts(used, fields) {
  const lines = [];
  for (const name of used) {
    const object = fields.find(name);
    const about = object.description ? [asSentence(object.description), ''] : [];
    lines.push(`### ${name}`, '', ...about, ...fields.object(object, 'response'));
  }
  return lines.length === 0 ? [] : ['## Objects', '', ...lines];
}

const head = (title, description, order) => [
  '---',
  `title: ${title}`,
  `description: ${description}`,
  `order: ${order}`,
  '---',
  '',
  '<!-- Generated from the API document and docs/reference/examples.json by npm run docs; do not edit. -->',
  '',
];

function resourcePage({ name, description }, order, operations, { document, examples, ...errors }) {
  const used = new Set();
  const fields = { ...createFields(document, (one) => used.add(one)), use: (one) => used.add(one) };
  const parts = operations.flatMap((operation) =>
    operationPart(operation, examples.operations[operation.operationId], fields, document, errors),
  );
  return [
    ...head(name, description, order),
    `# ${name}`,
    '',
    description,
    '',
    ...operations.map(
      ({ title, operationId, method, path }) => `- [${title}](#${operationId})\\\n  \`${method} ${path}\``,
    ),
    '',
    ...parts.map(linked),
    ...objectParts(used, fields).map(linked),
    'Next: [all resources](index.md), [all error codes](../errors.md).',
    '',
  ].join('\n');
}

const introduction = [
  '# API',
  '',
  'The API does everything that the dashboard does. Every resource has a page with its operations, requests and responses from a real instance, and a form to try it on your own.',
  '',
  'The machine-readable version is an OpenAPI document. An instance serves its own at `/openapi.json`.',
  '',
];

const conventions = [
  '## Authenticate',
  '',
  'Send an API key as `Authorization: Bearer <API_KEY>`. The first start prints one; you create more under **API keys** in the dashboard. A key has the scope `full` or `read`.',
  '',
  'The samples read the key from the environment, and expect an instance at `http://localhost:3000`:',
  '',
  ...fence('sh', 'export INLET_API_KEY=inlet_…'),
  'Operations for signed-in users need the cookie `inlet_session`, which [signing in](sessions.md#signIn) sets. The samples read its value from `INLET_SESSION`.',
  '',
  '## Read a list',
  '',
  'Lists with `cursor` return one page. Send `next_cursor` as `cursor` to get the next one; it is `null` on the last page. `limit` sets the size of a page.',
  '',
  '## Limits',
  '',
  'Request bodies can be up to 128 KiB, 256 KiB to create or change a form, and 16 KiB to sign in or set up. Times are in UTC and ISO 8601, such as `2026-11-16T09:30:00.000Z`.',
  '',
];

function indexPage(document, operations, errors) {
  const common = [...usual.every, ...usual.session, ...usual.writing];
  return [
    ...head('API', 'How to call the API of Inlet, and where each operation is described.', 0),
    ...introduction,
    '## Resources',
    '',
    ...document.tags.map(({ name, description }) => `- [${name}](${slugOf(name)}.md): ${description}`),
    '',
    ...conventions,
    '## Errors of every operation',
    '',
    'An error is a JSON object with an English `error` and a stable `code`. Programs go by the code. A 400 lists up to 50 faults in `details`; if a list or a text is far too long, only that is reported.',
    '',
    'Every operation of the management API can return these. Those about a body and a read-only key come only from operations that change something.',
    '',
    ...errorLines(common, errors),
    '',
    'These come before any operation:',
    '',
    ...errorLines(beforeOperations, errors),
    '',
    '## All operations',
    '',
    ...document.tags.flatMap(({ name }) => [
      `### ${name}`,
      '',
      ...operations
        .filter(({ tags }) => tags.includes(name))
        .map(
          ({ title, operationId, method, path }) =>
            `- [${title}](${slugOf(name)}.md#${operationId})\\\n  \`${method} ${path}\``,
        ),
      '',
    ]),
    'Next: [submit a form](submitting.md), [follow events](../events.md), [all error codes](../errors.md).',
    '',
  ].join('\n');
}

/** The pages by path. `sources` has the document, the examples, the catalogue, and the status of each kind of error. */
export function apiPages(sources) {
  const { document } = sources;
  const operations = operationsOf(whole(document));
  const known = new Set(document.tags.map(({ name }) => name));
  const homeless = operations.filter(({ tags }) => !tags?.some((tag) => known.has(tag)));
  if (homeless.length > 0)
    throw new Error(`No page for ${homeless.map(({ operationId }) => operationId).join(', ')}`);
  return Object.fromEntries([
    ['docs/reference/api/index.md', indexPage(document, operations, sources)],
    ...document.tags.map((tag, index) => [
      `docs/reference/api/${slugOf(tag.name)}.md`,
      resourcePage(
        tag,
        index + 1,
        operations.filter(({ tags }) => tags.includes(tag.name)),
        sources,
      ),
    ]),
  ]);
}
