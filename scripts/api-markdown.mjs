/** docs/api.md: the OpenAPI document as a page to read. */

const typeOf = (schema) => {
  if (schema === undefined) return '';
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.type === 'array') return `array of ${typeOf(schema.items) || 'values'}`;
  const name = [schema.type].flat().filter(Boolean).join(' or ') || 'any';
  return schema.format ? `${name} (${schema.format})` : name;
};

const bounds = (schema) =>
  [
    schema.minimum !== undefined && `from ${schema.minimum.toLocaleString('en')}`,
    schema.maximum !== undefined && `to ${schema.maximum.toLocaleString('en')}`,
    schema.minLength !== undefined && `at least ${schema.minLength} characters`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.maxItems !== undefined && `at most ${schema.maxItems}`,
    schema.default !== undefined && `default ${schema.default}`,
  ]
    .filter(Boolean)
    .join(', ');

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

const row = (name, schema, required) => {
  const notes = [required && 'required', bounds(schema), schema.description].filter(Boolean).join('; ');
  return `| \`${name}\` | ${cell(typeOf(schema))} | ${cell(notes)} |`;
};

/** Everything in place of its references: a reader has no use for them. */
function resolved(value, document) {
  if (Array.isArray(value)) return value.map((item) => resolved(item, document));
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') {
    const found = value.$ref
      .slice(2)
      .split('/')
      .reduce((at, key) => at[key], document);
    return resolved(found, document);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolved(inner, document)]));
}

/** Nested objects become dotted names. */
function rows(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = `${prefix}${name}`;
    const required = prefix === '' && (schema.required ?? []).includes(name);
    const below = inner.type === 'array' ? rows(inner.items ?? {}, `${path}[].`) : rows(inner, `${path}.`);
    return [row(path, inner, required), ...below];
  });
}

const table = (title, lines) =>
  lines.length === 0 ? [] : [`**${title}**`, '', '| Field | Type | Notes |', '|---|---|---|', ...lines, ''];

function operation(
  path,
  method,
  { operationId, summary, description, parameters = [], requestBody, responses },
) {
  const success = Object.entries(responses).filter(([status]) => status < '400');
  const failures = Object.keys(responses).filter((status) => status >= '400');
  const body = requestBody?.content?.['application/json']?.schema;
  return [
    `### ${method.toUpperCase()} ${path}`,
    '',
    `${summary}.${description ? ` ${description}` : ''} Operation \`${operationId}\`.`,
    '',
    ...table(
      'Parameters',
      parameters.map((parameter) =>
        row(
          parameter.name,
          { ...parameter.schema, description: parameter.description ?? parameter.schema.description },
          parameter.required,
        ),
      ),
    ),
    ...(body ? table('Request body', rows(body)) : []),
    ...success.flatMap(([status, answer]) => {
      const types = Object.keys(answer.content ?? {});
      const schema = answer.content?.['application/json']?.schema;
      if (schema) return table(`Response ${status}`, rows(schema));
      return [`Response ${status}: ${types.length > 0 ? types.join(', ') : 'no body'}.`, ''];
    }),
    `Errors: ${failures.join(', ')}.`,
    '',
  ];
}

export function apiMarkdown(whole) {
  const document = resolved(whole, whole);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, definition]) => ({ path, method, definition })),
  );
  const known = new Set(document.tags.map(({ name }) => name));
  const untold = operations.filter(({ definition }) => !definition.tags?.some((tag) => known.has(tag)));
  if (untold.length > 0) {
    throw new Error(`No section for ${untold.map(({ method, path }) => `${method} ${path}`).join(', ')}`);
  }
  const sections = document.tags.flatMap(({ name }) => [
    `## ${name}`,
    '',
    ...operations
      .filter(({ definition }) => definition.tags?.includes(name))
      .flatMap(({ path, method, definition }) => operation(path, method, definition)),
  ]);
  return [
    '# API reference',
    '',
    'Generated from the schemas that validate the requests; do not edit. The machine-readable version is `openapi.json`.',
    '',
    'Management paths require `Authorization: Bearer <API_KEY>`, or the session cookie of a signed-in user. Error bodies are JSON objects with an English `error` and a stable `code`; [errors.md](errors.md) lists them all. A 400 lists up to 50 errors in `details`. If a list or a text is far too long, only that is reported.',
    '',
    'Request bodies can be up to 128 KiB (256 KiB to create or change a form, 16 KiB to sign in or set up). Larger ones get 413 with the limit in `limit_bytes`.',
    '',
    ...sections,
  ].join('\n');
}
