/**
 * Renders the Helm chart without Helm: the part of Go templates and Helm functions that the chart uses. Anything else is an
 * error, never a guess. In CI, Helm itself also lints and renders the chart.
 */
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

type Value = unknown;
type Fields = Readonly<Record<string, Value>>;
type Scope = { readonly dot: Value; readonly variables: Map<string, Value> };

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly code: string }
  | { readonly kind: 'set'; readonly name: string; readonly code: string }
  | {
      readonly kind: 'block';
      readonly word: string;
      readonly code: string;
      readonly body: Piece[];
      readonly otherwise: Piece[];
    };

const isFields = (value: Value): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTrue = (value: Value): boolean =>
  Array.isArray(value) ? value.length > 0 : isFields(value) ? Object.keys(value).length > 0 : Boolean(value);
const asText = (value: Value): string => (value === null || value === undefined ? '' : String(value));
const asFields = (value: Value): Fields => {
  if (!isFields(value)) throw new Error(`not a map: ${JSON.stringify(value)}`);
  return value;
};

/** Splits into text and actions, without the white space that `{{-` and `-}}` remove. */
function split(source: string): readonly { readonly text: string; readonly code: string | null }[] {
  const parts: { text: string; code: string | null }[] = [];
  let rest = source;
  let isTrimmed = false;
  for (;;) {
    const found = /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/.exec(rest);
    let text = found === null ? rest : rest.slice(0, found.index);
    if (isTrimmed) text = text.trimStart();
    if (found?.[1] === '-') text = text.trimEnd();
    parts.push({ text, code: found?.[2] ?? null });
    if (found === null) return parts;
    isTrimmed = found[3] === '-';
    rest = rest.slice(found.index + found[0].length);
  }
}

function parse(source: string, templates: Map<string, Piece[]>): Piece[] {
  const top: Piece[] = [];
  const open: { pieces: Piece[]; name: string | null }[] = [{ pieces: top, name: null }];
  const here = (): Piece[] => open.at(-1)?.pieces ?? top;
  for (const { text, code } of split(source)) {
    if (text !== '') here().push({ kind: 'text', text });
    if (code === null || code.startsWith('/*')) continue;
    const [, word = '', rest = ''] = /^(\w+)\b\s*([\s\S]*)$/.exec(code) ?? [];
    if (word === 'if' || word === 'with' || word === 'range') {
      const block: Piece = { kind: 'block', word, code: rest, body: [], otherwise: [] };
      here().push(block);
      open.push({ pieces: block.body, name: null });
    } else if (word === 'define') open.push({ pieces: [], name: JSON.parse(rest) });
    else if (word === 'else') {
      if (rest !== '') throw new Error(`not understood: ${code}`);
      open.pop();
      const block = here().at(-1);
      if (block?.kind !== 'block') throw new Error('else without if');
      open.push({ pieces: block.otherwise, name: null });
    } else if (word === 'end') {
      const closed = open.pop();
      if (closed?.name !== null && closed !== undefined) templates.set(closed.name, closed.pieces);
    } else {
      const [, name, value] = /^(\$\w+)\s*:=\s*([\s\S]+)$/.exec(code) ?? [];
      here().push(
        name === undefined || value === undefined
          ? { kind: 'print', code }
          : { kind: 'set', name, code: value },
      );
    }
  }
  if (open.length !== 1) throw new Error('a block has no end');
  return top;
}

export type Render = (source: string, context: Fields) => string;

/** A renderer that knows the templates defined in these files. */
export function createRenderer(definitions: readonly string[]): Render {
  const templates = new Map<string, Piece[]>();
  for (const source of definitions) parse(source, templates);

  const functions: Readonly<Record<string, (...values: readonly Value[]) => Value>> = {
    include: (name, dot) => {
      const pieces = templates.get(asText(name));
      if (pieces === undefined) throw new Error(`no template ${asText(name)}`);
      return write(pieces, { dot, variables: new Map([['$', dot]]) });
    },
    required: (message, value) => {
      if (value === undefined || value === null || value === '') throw new Error(asText(message));
      return value;
    },
    default: (other, value) => (isTrue(value) ? value : other),
    not: (value) => !isTrue(value),
    contains: (part, text) => asText(text).includes(asText(part)),
    trunc: (count, text) => asText(text).slice(0, Number(count)),
    trimSuffix: (end, text) =>
      asText(text).endsWith(asText(end)) ? asText(text).slice(0, -asText(end).length) : text,
    printf: (form, ...values) => {
      let next = 0;
      return asText(form).replaceAll('%s', () => asText(values[next++]));
    },
    quote: (value) => JSON.stringify(asText(value)),
    add: (...values) => values.reduce((sum: number, value) => sum + Number(value), 0),
    dict: (...values) =>
      Object.fromEntries(
        values.flatMap((name, at) => (at % 2 === 0 ? [[asText(name), values[at + 1]]] : [])),
      ),
    omit: (fields, ...names) =>
      Object.fromEntries(Object.entries(asFields(fields)).filter(([name]) => !names.includes(name))),
    toYaml: (value) => stringify(value, { lineWidth: 0 }).trimEnd(),
    // Go sorts the keys of a map.
    toJson: (value) =>
      JSON.stringify(value, isFields(value) ? Object.keys(value).sort() : undefined)
        .replaceAll('&', '\\u0026')
        .replaceAll('<', '\\u003c')
        .replaceAll('>', '\\u003e'),
    sha256sum: (text) => createHash('sha256').update(asText(text)).digest('hex'),
    nindent: (count, text) => `\n${asText(text).replaceAll(/^/gm, ' '.repeat(Number(count)))}`,
  };

  const words = (code: string): readonly string[] => code.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];

  function evaluate(code: string, scope: Scope): Value {
    const tokens = [...words(code)];
    const field = (start: Value, path: string): Value =>
      path
        .split('.')
        .filter((name) => name !== '')
        .reduce<Value>((value, name) => (isFields(value) ? value[name] : undefined), start);
    const term = (token: string): Value => {
      if (token === '(') return pipeline();
      if (token.startsWith('"')) return JSON.parse(token);
      if (/^-?\d+$/.test(token)) return Number(token);
      if (token.startsWith('.')) return field(scope.dot, token);
      const [, variable, path = ''] = /^(\$\w*)((?:\.\w+)*)$/.exec(token) ?? [];
      if (variable === undefined || !scope.variables.has(variable))
        throw new Error(`not understood: ${token}`);
      return field(scope.variables.get(variable), path);
    };
    const command = (piped: readonly Value[]): Value => {
      const first = tokens.shift() ?? '';
      const call = functions[first];
      const values: Value[] = [];
      const isEnd = (): boolean => tokens.length === 0 || tokens[0] === '|' || tokens[0] === ')';
      if (call === undefined) {
        const value = term(first);
        if (!isEnd() || piped.length > 0) throw new Error(`not a function: ${first}`);
        return value;
      }
      while (!isEnd()) values.push(term(tokens.shift() ?? ''));
      return call(...values, ...piped);
    };
    function pipeline(): Value {
      let value = command([]);
      while (tokens[0] === '|') {
        tokens.shift();
        value = command([value]);
      }
      if (tokens[0] === ')') tokens.shift();
      return value;
    }
    const value = pipeline();
    if (tokens.length > 0) throw new Error(`not understood: ${code}`);
    return value;
  }

  function writeBlock(block: Piece & { kind: 'block' }, scope: Scope): string {
    const inner = (dot: Value, set: readonly (readonly [string, Value])[] = []): string =>
      write(block.body, { dot, variables: new Map([...scope.variables, ...set]) });
    if (block.word === 'range') {
      const [, key = '', item = '', code = ''] = /^(\$\w+), (\$\w+) := ([\s\S]+)$/.exec(block.code) ?? [];
      if (code === '') throw new Error(`not understood: range ${block.code}`);
      const entries = Object.entries(asFields(evaluate(code, scope))).sort(([a], [b]) => (a < b ? -1 : 1));
      return entries
        .map(([name, value]) =>
          inner(value, [
            [key, name],
            [item, value],
          ]),
        )
        .join('');
    }
    const value = evaluate(block.code, scope);
    if (!isTrue(value)) return write(block.otherwise, scope);
    return inner(block.word === 'with' ? value : scope.dot);
  }

  function write(pieces: readonly Piece[], scope: Scope): string {
    let text = '';
    for (const piece of pieces) {
      if (piece.kind === 'text') text += piece.text;
      else if (piece.kind === 'print') text += asText(evaluate(piece.code, scope));
      else if (piece.kind === 'set') scope.variables.set(piece.name, evaluate(piece.code, scope));
      else text += writeBlock(piece, scope);
    }
    return text;
  }

  return (source, context) =>
    write(parse(source, templates), { dot: context, variables: new Map([['$', context]]) });
}
