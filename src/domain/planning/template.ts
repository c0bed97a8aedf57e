/**
 * What a destination receives instead of the default content: a Mustache template, rendered once when the submission is
 * stored. docs/guides/destinations/templates.md describes it.
 *
 * The `mustache` package only parses. Rendering is done here, because mustache's renderer has no limits, finds inherited
 * properties, turns every value into text and throws on null in a list. A template must not cost a submission, so
 * rendering never fails: what exceeds a limit is left out, and the result says so.
 */
import Mustache, { type TemplateSpans } from 'mustache';

/** JSON values only. */
export interface TemplateView {
  readonly form: {
    readonly id: string;
    readonly public_id: string;
    readonly name: string;
    readonly slug: string;
  };
  readonly project: { readonly id: string; readonly name: string; readonly slug: string };
  readonly submission: {
    readonly id: string;
    readonly created_at: string;
    readonly url?: string;
    /** `files` and `metadata` as in the payload of a webhook. */
    readonly files: readonly object[];
    readonly metadata: object;
  };
  /** The data of the submission. */
  readonly fields: object;
}

export interface TemplateProblem {
  /** Where in a JSON document, like `blocks[0].text`; empty for the template itself. */
  readonly path: string;
  readonly message: string;
}

/** A JSON document: its constant text, and the strings in between. */
export interface DocumentTemplate {
  readonly parts: readonly (string | DocumentString)[];
}

export interface TextTemplate {
  readonly nodes: readonly Node[];
}

/** Webhooks have documents, chats have texts. */
export type Template = DocumentTemplate | TextTemplate;

export interface Rendered {
  readonly text: string;
  /** True when the result exceeded a limit and was cut. */
  readonly isCut: boolean;
}

type DocumentString = { readonly nodes: readonly Node[] } | { readonly only: Placeholder };
type Node = string | Placeholder | Section;
interface Placeholder {
  readonly path: Path;
}
interface Section extends Placeholder {
  readonly isInverted: boolean;
  readonly nodes: readonly Node[];
}

const maxTemplateChars = 16 * 1024;
const maxDepth = 10;
const maxTags = 200;
/** Mustache searches for the end of a tag in quadratic time. */
const maxTagChars = 250;
const maxSectionDepth = 2;
/** Room for all of the largest submission (1 MiB). */
const maxDocumentChars = 1.5 * 1024 * 1024;
/** More than any chat accepts. */
const maxTextChars = 64 * 1024;
/** Tags, texts and names to look up, counted for every repetition of their section. */
const maxSteps = 20_000;
/** For all templates of a submission. 200 that each repeated a large field took 5.6 GB of memory and half a minute. */
const sharedChars = 4 * 1024 * 1024;
const sharedSteps = 50_000;
/** Guaranteed to each template, however many there are. */
const minChars = 32 * 1024;
const minSteps = 500;
/** A control character is written as `\\u0001`. */
const maxJsonCharsPerChar = 6;

export function parseDocument(json: unknown): { readonly template: DocumentTemplate } | TemplateProblem {
  if (typeof json !== 'object' || json === null) return { path: '', message: 'must be an object or a list' };
  const parser = new Parser(true);
  const parts = joined(parser.document(json, { path: '', depth: 1 }));
  if (parser.problem !== undefined) return parser.problem;
  // Only after the depth check, because JSON.stringify recurses.
  if (JSON.stringify(json).length > maxTemplateChars)
    return { path: '', message: `must not be longer than ${maxTemplateChars} characters as JSON` };
  return { template: { parts } };
}

export function parseText(text: string): { readonly template: TextTemplate } | TemplateProblem {
  const parser = new Parser(false);
  const nodes = parser.text(text, '');
  return parser.problem ?? { template: { nodes } };
}

/** What the templates of one submission may cost together: a form has up to 200 destinations. */
export interface Allowance {
  chars: number;
  steps: number;
  /** Objects that several tags show are serialized once. */
  readonly texts: Map<object, string>;
}

export const newAllowance = (): Allowance => ({ chars: sharedChars, steps: sharedSteps, texts: new Map() });

/** Renders JSON text. A string that is only a placeholder becomes its value, or null if it has none. */
export function renderDocument(
  { parts }: DocumentTemplate,
  view: TemplateView,
  allowance = newAllowance(),
): Rendered {
  const output = new Output(maxDocumentChars, allowance, (value) => value, jsonLength);
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    return 'only' in part
      ? output.json(part.only.path, { view })
      : JSON.stringify(output.text(part.nodes, { view }));
  });
  output.end();
  return { text: texts.join(''), isCut: output.isFull };
}

/** The length inside the quotes of a JSON string. */
const jsonLength = (text: string): number => JSON.stringify(text).length - 2;

/** `escapeValue` is applied to every value, never to the text of the template. */
export function renderText(
  { nodes }: TextTemplate,
  view: object,
  escapeValue: (value: string) => string,
  allowance = newAllowance(),
): Rendered {
  const output = new Output(maxTextChars, allowance, escapeValue, ({ length }) => length);
  const text = output.text(nodes, { view });
  output.end();
  return { text, isCut: output.isFull };
}

class Parser {
  problem: TemplateProblem | undefined;
  private tags = 0;

  constructor(private readonly isDocument: boolean) {}

  document(json: unknown, { path, depth }: { path: string; depth: number }): (string | DocumentString)[] {
    if (depth > maxDepth) this.fail(path, `must not be nested more than ${maxDepth} levels deep`);
    if (this.problem !== undefined) return [];
    if (typeof json === 'string') return [this.string(json, path)];
    if (typeof json !== 'object' || json === null) return [this.constant(json, path)];
    const isList = Array.isArray(json);
    const parts: (string | DocumentString)[] = [];
    for (const [key, item] of Object.entries(json)) {
      const at = isList ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      if (!isList && key.includes('{{')) this.fail(at, 'placeholders work in values, not in names');
      parts.push(parts.length === 0 ? '' : ',', isList ? '' : `${JSON.stringify(key)}:`);
      parts.push(...this.document(item, { path: at, depth: depth + 1 }));
      if (this.problem !== undefined) return [];
    }
    return [isList ? '[' : '{', ...parts, isList ? ']' : '}'];
  }

  private constant(json: unknown, path: string): string {
    const isJson = json === null || typeof json === 'number' || typeof json === 'boolean';
    if (!isJson) this.fail(path, 'must be JSON');
    return JSON.stringify(isJson ? json : null);
  }

  private string(text: string, path: string): string | DocumentString {
    if (!text.includes('{{')) return JSON.stringify(text);
    const nodes = this.text(text, path);
    const [only] = nodes;
    if (nodes.length === 1 && typeof only === 'object' && !('nodes' in only)) return { only };
    return { nodes };
  }

  text(text: string, path: string): readonly Node[] {
    // Before parsing: the package takes quadratic time for some texts.
    if (text.length > maxTemplateChars)
      this.fail(path, `must not be longer than ${maxTemplateChars} characters`);
    else this.checkTags(text, path);
    if (this.problem !== undefined) return [];
    try {
      // A new writer, because the one behind mustache.parse caches every template forever.
      return nodesOf(new Mustache.Writer().parse(text));
    } catch (error) {
      // Like: Unclosed section "items" at 12
      this.fail(path, `is not valid Mustache: ${error instanceof Error ? error.message : 'unknown'}`);
      return [];
    }
  }

  private checkTags(text: string, path: string): void {
    let depth = 0;
    for (let start = text.indexOf('{{'); start >= 0 && this.problem === undefined; ) {
      const end = text.indexOf('}}', start + 2);
      const tag = text.slice(start + 2, end);
      const type = tag.trimStart().charAt(0);
      const fail = (message: string): void => this.fail(path, `${message} (character ${start + 1})`);
      if (type === '#' || type === '^') depth += 1;
      if (type === '/') depth -= 1;
      this.tags += 1;
      if (end < 0) fail('is not valid Mustache: Unclosed tag');
      else if (tag.length > maxTagChars) fail(`a tag must not be longer than ${maxTagChars} characters`);
      else if (type === '>') fail('partials {{>…}} are not supported');
      else if (type === '=') fail('other delimiters {{=…=}} are not supported');
      else if (!this.isDocument && (type === '{' || type === '&'))
        fail('values are always escaped, so write {{…}} instead of {{{…}}} or {{&…}}');
      else if (type === '{' && !text.startsWith('}}}', end)) fail('is not valid Mustache: Unclosed tag');
      else if (depth > maxSectionDepth)
        fail(`sections must not be nested more than ${maxSectionDepth} levels deep`);
      else if (this.tags > maxTags) fail(`the template has more than ${maxTags} tags`);
      start = text.indexOf('{{', end + (type === '{' ? 3 : 2));
    }
  }

  private fail(path: string, message: string): void {
    this.problem ??= { path, message };
  }
}

function nodesOf(spans: TemplateSpans): readonly Node[] {
  return spans.flatMap(([type, text, , , inner]): Node[] => {
    if (type === 'text') return [text];
    if (type === 'name' || type === '&') return [{ path: pathOf(text) }];
    if (type === '#' || type === '^')
      return [
        { path: pathOf(text), isInverted: type === '^', nodes: Array.isArray(inner) ? nodesOf(inner) : [] },
      ];
    return [];
  });
}

/** Merges neighbouring constants. */
function joined(parts: readonly (string | DocumentString)[]): readonly (string | DocumentString)[] {
  const result: (string | DocumentString)[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result.splice(-1, 1, last + part);
    else result.push(part);
  }
  return result;
}

/** Where names are looked up: the innermost section first. */
interface Scope {
  readonly view: unknown;
  readonly around?: Scope;
}

/** Everything one template renders, within its limits. */
class Output {
  isFull = false;
  private steps = 0;
  private room: number;
  private readonly givenChars: number;
  private readonly givenSteps: number;

  constructor(
    maxChars: number,
    private readonly allowance: Allowance,
    private readonly escapeValue: (value: string) => string,
    /** How many characters a text takes in the output. */
    private readonly lengthOf: (text: string) => number,
  ) {
    this.givenChars = Math.min(maxChars, Math.max(allowance.chars, minChars));
    this.givenSteps = Math.min(maxSteps, Math.max(allowance.steps, minSteps));
    this.room = this.givenChars;
  }

  /** Deducts what was used from the allowance shared with the submission's other templates. */
  end(): void {
    this.allowance.chars -= this.givenChars - Math.max(0, this.room);
    this.allowance.steps -= this.steps;
  }

  /** As JSON: all of it or null, because a part would not be JSON. */
  json(path: Path, scope: Scope): string {
    const value = this.isFull ? undefined : this.lookUp(path, scope);
    if (value === undefined) return 'null';
    const text = typeof value === 'object' && value !== null ? this.written(value) : JSON.stringify(value);
    this.room -= text.length;
    this.isFull = this.room < 0;
    return this.isFull ? 'null' : text;
  }

  text(nodes: readonly Node[], scope: Scope): string {
    let text = '';
    for (const node of nodes) {
      if (!this.hasRoom()) break;
      if (typeof node === 'string') text += this.fitting(node);
      else if ('nodes' in node) text += this.section(node, scope);
      else text += this.escapeValue(this.fitting(this.textOf(this.lookUp(node.path, scope))));
    }
    return text;
  }

  /** Follows mustache's rules for which values are empty and which are repeated. */
  private section({ path, isInverted, nodes }: Section, scope: Scope): string {
    const value = this.lookUp(path, scope);
    const isNothing = !value || (Array.isArray(value) && value.length === 0);
    if (isInverted) return isNothing ? this.text(nodes, scope) : '';
    if (isNothing) return '';
    if (value === true) return this.text(nodes, scope);
    let text = '';
    for (const view of Array.isArray(value) ? value : [value]) {
      if (!this.hasRoom()) break;
      text += this.text(nodes, { view, around: scope });
    }
    return text;
  }

  private lookUp(path: Path, scope: Scope): unknown {
    this.steps += path.length - 1;
    return lookUp(path, scope);
  }

  private hasRoom(): boolean {
    this.steps += 1;
    if (this.steps > this.givenSteps) this.isFull = true;
    return !this.isFull;
  }

  /** As much as fits, without half a character at the end. */
  private fitting(text: string): string {
    const { room } = this;
    const start = text.slice(0, Math.max(0, room));
    const length = this.lengthOf(start);
    this.room -= length;
    if (length <= room && start.length === text.length) return text;
    this.isFull = true;
    const fitting = length <= room ? start : start.slice(0, Math.floor(room / maxJsonCharsPerChar));
    return fitting.replace(/[\ud800-\udbff]$/, '');
  }

  private textOf(value: unknown): string {
    if (value === undefined || value === null) return '';
    if (typeof value === 'string') return value;
    return typeof value === 'object' ? this.written(value) : JSON.stringify(value);
  }

  private written(value: object): string {
    const { texts } = this.allowance;
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    texts.set(value, text);
    return text;
  }
}

/** A dotted name, looked up whole, or else by its first part and then the rest. Empty for the section's own value. */
type Path = readonly { readonly whole: string; readonly first: string }[];

function pathOf(name: string): Path {
  if (name === '.') return [];
  const parts = name.split('.');
  return parts.map((first, index) => ({ whole: parts.slice(index).join('.'), first }));
}

/** Returns undefined if there is no such value. */
function lookUp(path: Path, scope: Scope): unknown {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.around) {
    const value = atPath(at.view, path);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `a.b` is the value named `a.b`, or else `b` of `a`: forms have fields with dots in their names. */
function atPath(view: unknown, path: Path): unknown {
  let value = view;
  for (const { whole, first } of path) {
    const found = own(value, whole);
    if (found !== undefined || whole === first) return found;
    value = own(value, first);
    if (value === undefined) return undefined;
  }
  return value;
}

function own(value: unknown, name: string): unknown {
  if (!isObject(value)) return undefined;
  // For a list only its elements, not its length.
  if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
