/** Schemas as nested lists, which wrap on a phone: name and type, then limits and meaning. Named schemas become links. */

const count = (n, what) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;

function range(low, high, what) {
  const show = (n) => (what === undefined ? n.toLocaleString('en') : count(n, what));
  if (low !== undefined && high !== undefined) return `${low.toLocaleString('en')} to ${show(high)}`;
  if (high !== undefined) return `At most ${show(high)}`;
  return low !== undefined ? `At least ${show(low)}` : null;
}

const limits = (schema) =>
  [
    range(schema.minimum, schema.maximum),
    range(schema.minLength || undefined, schema.maxLength, 'character'),
    range(schema.minItems || undefined, schema.maxItems, 'item'),
    schema.default !== undefined && `Default: \`${schema.default}\``,
  ]
    .filter(Boolean)
    .map((text) => `${text}.`);

const sentence = (text) => (/[.!?:]$/.test(text) ? text : `${text}.`);
const nameOfRef = ($ref) => $ref.split('/').at(-1);

/** The values of an enum, which are listed; every other type is a word. */
const choices = (schema) => (schema.enum ?? []).filter((value) => value !== null);

export const linkTo = (name) => `[${name}](#${name.toLowerCase()})`;

/** Calls `use` with every named schema that is linked. */
export function createFields(document, use) {
  const find = ($ref) =>
    $ref
      .slice(2)
      .split('/')
      .reduce((at, key) => at[key], document);
  const isObject = ({ properties = {} }) => Object.keys(properties).length > 0;

  /** The schema itself, or the named schema that it refers to if that is not an object. */
  const plain = (schema) => {
    if (schema.$ref === undefined) return schema;
    const found = find(schema.$ref);
    return isObject(found) ? schema : { ...found, ...schema, $ref: undefined };
  };

  function typeOf(given) {
    const schema = plain(given);
    if (schema.$ref) {
      const name = nameOfRef(schema.$ref);
      use(name);
      return [find(schema.$ref).type].flat().includes('null') ? `${linkTo(name)} or null` : linkTo(name);
    }
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return either.map(typeOf).join(' or ');
    if (schema.const !== undefined) return `\`${schema.const}\``;
    const types = [schema.type].flat().filter(Boolean);
    if (types.includes('array')) {
      const list = `list of ${plural(typeOf(schema.items ?? {}))}`;
      return types.includes('null') ? `${list} or null` : list;
    }
    const words = types.map((type) =>
      type === 'string' && schema.format ? `string (${schema.format})` : type,
    );
    return words.join(' or ') || 'any value';
  }

  const plural = (type) =>
    /^(string|integer|number|object|boolean)/.test(type) ? type.replace(/^\w+/, '$&s') : type;

  function below(given, way) {
    const schema = plain(given);
    if (schema.$ref) return [];
    if (schema.items) return below(schema.items, way);
    return schema.properties ? list(schema, way) : [];
  }

  function item(name, given, isRequired, way) {
    const schema = plain(given);
    const values = choices(schema.items ? plain(schema.items) : schema);
    const notes = [
      schema.description && sentence(schema.description),
      values.length > 0 && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
      ...limits(schema),
    ].filter(Boolean);
    const head = `- \`${name}\` *${typeOf(schema)}*${isRequired ? ' **required**' : ''}`;
    return [
      notes.length > 0 ? `${head}\\` : head,
      ...(notes.length > 0 ? [`  ${notes.join(' ').replaceAll('\n', ' ')}`] : []),
      ...below(schema, way).map((line) => `  ${line}`),
    ];
  }

  /** Shows `required` for requests only, because readers of a response see what it contains. */
  function list({ properties = {}, required = [] }, way) {
    return Object.entries(properties).flatMap(([name, schema]) =>
      item(name, schema, way === 'request' && required.includes(name), way),
    );
  }

  const boxed = (lines) =>
    lines.length === 0 ? [] : ['<div class="fields">', '', ...lines, '', '</div>', ''];

  return {
    object: (schema, way) => boxed(list(schema.$ref ? find(schema.$ref) : schema, way)),
    parameters: (parameters) =>
      boxed(
        parameters.flatMap(({ name, schema, description, required }) =>
          item(name, { ...plain(schema), ...(description && { description }) }, required, 'request'),
        ),
      ),
    /** The name of a response that is nothing but a named object, which becomes a link; null for others. */
    nameOf: (schema) => (schema.$ref && isObject(find(schema.$ref)) ? nameOfRef(schema.$ref) : null),
    find: (name) => document.components.schemas[name],
  };
}
