/** JSON rows: one object per line, or the objects of one array, which may be a member of an object. */
import { StringDecoder } from 'node:string_decoder';
import { type JsonBounds, membersOf, outlineJson } from '../../kernel/json-outline.js';
import { exceedsUtf8Bytes } from '../../kernel/utf8.js';
import { type Cell, maxRowBytes, type ReadRow, tooManyFields } from './rows.js';

/** As for submissions (see `http/submit/body/limits.ts`), with room for what services add around the fields. */
const bounds: JsonBounds = { maxDepth: 34, maxMembers: 1_100, maxContainers: 50_000, maxNameBytes: 256 };

const excesses = {
  depth: 'is nested too deeply',
  containers: 'has too many lists and objects',
  name: 'has a name that is longer than 256 bytes',
} as const;

/** Members that contain the fields of a submission. What is next to them was recorded by the service. */
const fieldHolders: ReadonlySet<string> = new Set([
  'data',
  'payload_params',
  'form_data',
  'fields',
  'payload',
]);
/** Members of an export that contain its rows. */
const rowHolder = /"(?:submissions|data|items|results|entries|responses)"\s*:\s*$/;
const longestHolder = 40;

const tooLong = 'is longer than 1 MiB';

export async function* readJsonLines(source: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  let line = 0;
  let rest = '';
  let isSkipping = false;
  for await (const text of decoded(source)) {
    const lines = text.split('\n');
    for (const [index, piece] of lines.entries()) {
      rest = isSkipping ? '' : rest + piece;
      if (index === lines.length - 1) break;
      line += 1;
      if (isSkipping) yield { line, reason: tooLong, original: [] };
      else if (rest.trim() !== '') yield rowOf(line, rest.trim());
      rest = '';
      isSkipping = false;
    }
    isSkipping ||= rest.length > maxRowBytes;
  }
  if (isSkipping) yield { line: line + 1, reason: tooLong, original: [] };
  else if (rest.trim() !== '') yield rowOf(line + 1, rest.trim());
}

async function* decoded(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let isFirst = true;
  for await (const bytes of source) {
    const text = decoder.write(bytes);
    yield isFirst ? text.replace(/^\ufeff/, '') : text;
    isFirst = false;
  }
}

/** Yields the elements of the array, each as soon as it is complete. */
export async function* readJson(source: AsyncIterable<Buffer>): AsyncGenerator<ReadRow> {
  const splitter = new ElementSplitter();
  for await (const text of decoded(source)) {
    for (const { line, text: element } of splitter.take(text)) {
      yield element === null ? { line, reason: tooLong, original: [] } : rowOf(line, element);
    }
  }
  const left = splitter.unfinished();
  if (left !== null)
    yield { line: left, reason: 'is cut off: the JSON ends in the middle of it', original: [] };
}

interface Element {
  readonly line: number;
  /** null: it was too long. */
  readonly text: string | null;
}

/**
 * Finds where elements begin and end by counting brackets; the parser decides whether they are JSON. `base` is the depth of the
 * elements: 1 in a plain array, 2 in an array inside an object, 0 for consecutive objects.
 */
class ElementSplitter {
  #base = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  #begunIn: number | null = null;
  #held = '';
  /** The end of what is held: reading it from there would copy all of it, for each list in a file like `{[][]…`. */
  #heldEnd = '';
  #isTooLong = false;
  /** The last character opened an array that may be the list of rows. */
  #mayHoldRows = false;
  #isOver = false;

  *take(text: string): Generator<Element> {
    let from = this.#begunIn === null ? -1 : 0;
    for (let at = 0; at < text.length && !this.#isOver; at += 1) {
      const sign = text.charCodeAt(at);
      if (sign === 10) this.#line += 1;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (sign === 0x5c) this.#isEscaped = true;
        else if (sign === 0x22) this.#isInString = false;
        continue;
      }
      if (sign === 0x20 || (sign >= 9 && sign <= 13)) continue;
      const isOpening = sign === 0x7b || sign === 0x5b;
      if (this.#mayHoldRows) {
        this.#mayHoldRows = false;
        if (sign === 0x7b) {
          // An object around the list: what counts is the rows inside.
          this.#base = 2;
          this.#begunIn = null;
          this.#held = '';
          this.#isTooLong = false;
        }
      }
      if (this.#base === 0 && this.#depth === 0 && sign === 0x5b) {
        this.#base = 1;
        this.#depth = 1;
        continue;
      }
      const isClosing = sign === 0x7d || sign === 0x5d;
      const isAtBase = this.#depth === this.#base;
      if (this.#begunIn === null && !isClosing && sign !== 0x2c) {
        this.#begunIn = this.#line;
        from = at;
      }
      if (isOpening) {
        if (sign === 0x5b && this.#base === 0 && this.#depth === 1) {
          const before = this.#heldEnd + text.slice(Math.max(0, from, at - longestHolder), at);
          this.#mayHoldRows = rowHolder.test(before.slice(-longestHolder));
        }
        this.#depth += 1;
        continue;
      }
      if (sign === 0x22) this.#isInString = true;
      if (isClosing) {
        if (isAtBase && this.#base > 0) {
          if (this.#begunIn !== null) yield this.#finish(text.slice(from, at));
          this.#isOver = true;
          return;
        }
        this.#depth -= 1;
        if (this.#depth === this.#base) {
          yield this.#finish(text.slice(Math.max(0, from), at + 1));
          from = -1;
        }
      } else if (sign === 0x2c && isAtBase && this.#begunIn !== null) {
        // A number or a text where a row should be.
        yield this.#finish(text.slice(Math.max(0, from), at));
        from = -1;
      }
    }
    if (this.#begunIn !== null && !this.#isOver) this.#hold(text.slice(Math.max(0, from)));
  }

  /** Returns the line of the row in which the JSON is cut off, or null when it is complete. */
  unfinished(): number | null {
    return this.#isOver ? null : (this.#begunIn ?? (this.#base > 0 ? this.#line : null));
  }

  #hold(piece: string): void {
    this.#held = this.#isTooLong ? '' : this.#held + piece;
    this.#heldEnd = (this.#heldEnd + piece.slice(-longestHolder)).slice(-longestHolder);
    if (this.#held.length <= maxRowBytes) return;
    this.#isTooLong = true;
    this.#held = '';
  }

  #finish(piece: string): Element {
    this.#hold(piece);
    const element = { line: this.#begunIn ?? this.#line, text: this.#isTooLong ? null : this.#held };
    this.#begunIn = null;
    this.#held = '';
    this.#heldEnd = '';
    this.#isTooLong = false;
    return element;
  }
}

function rowOf(line: number, text: string): ReadRow {
  const original = [text];
  if (exceedsUtf8Bytes(text, maxRowBytes)) return { line, reason: tooLong, original: [] };
  const outline = outlineJson(text, bounds);
  if (typeof outline === 'string') {
    return { line, reason: outline === 'members' ? tooManyFields() : excesses[outline], original };
  }
  try {
    JSON.parse(text);
  } catch {
    return { line, reason: 'is not valid JSON', original };
  }
  if (!text.startsWith('{')) return { line, reason: 'is not a JSON object', original };
  const members = [...membersOf(text, outline)];
  const holder = members.find(({ name, value }) => fieldHolders.has(name) && value.startsWith('{'));
  if (!holder) {
    const cells = members.map(({ name, value }) => cellOf(name, value, false));
    return { line, cells, fieldsText: null, original };
  }
  const beside = members
    .filter((member) => member !== holder)
    .flatMap(({ name, value }) =>
      name === 'metadata' && value.startsWith('{')
        ? Array.from(membersOf(value), (member) => cellOf(member.name, member.value, true))
        : [cellOf(name, value, true)],
    );
  const fields = Array.from(membersOf(holder.value), (member) => cellOf(member.name, member.value, false));
  return { line, cells: [...beside, ...fields], fieldsText: holder.value, original };
}

const cellOf = (name: string, value: string, isMeta: boolean): Cell =>
  value.startsWith('"')
    ? { name, text: String(JSON.parse(value)), json: value, isMeta }
    : { name, text: value === 'null' ? '' : value, json: value, isMeta };
