/** What the forms under "Try it" need of each operation, from the API document and the recorded requests; read while the site is built. */
import { readFileSync } from 'node:fs';
import { whole } from '../../../../scripts/reference/whole.mjs';

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../../reference/${name}`, import.meta.url), 'utf8'));

const typed = (body) => (typeof body === 'string' ? body : JSON.stringify(body, null, 2));

function inputOf(
  { name, in: place, required = false, description = '', schema },
  { params, query, headers },
) {
  const recorded = { path: params, query, header: headers }[place]?.[name];
  return {
    name,
    place,
    required,
    description,
    choices: schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : null),
    // An id of our example is not one of the reader's.
    value: place === 'path' ? '' : (recorded ?? ''),
    example: place === 'path' ? (recorded ?? '') : '',
  };
}

function operationOf(path, method, { parameters = [], security }, { request }) {
  return {
    method: method.toUpperCase(),
    path,
    // Of the parameters that a pattern names, each has a name of its own.
    inputs: parameters.filter(({ schema }) => schema.type !== 'object').map((one) => inputOf(one, request)),
    takesKey: security === undefined || security.some((scheme) => 'apiKey' in scheme),
    type: request.type ?? null,
    body: request.type === undefined ? null : typed(request.body),
  };
}

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default {
  watch: ['../../../reference/openapi.json', '../../../reference/examples.json'],
  load() {
    const { paths } = whole(read('openapi.json'));
    const { operations } = read('examples.json');
    return Object.fromEntries(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, definition]) => [
          definition.operationId,
          operationOf(path, method, definition, operations[definition.operationId]),
        ]),
      ),
    );
  },
};
