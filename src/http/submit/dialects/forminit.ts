/**
 * Forminit, formerly Getform: fields have typed names, `fi-{type}-{name}`, or arrive as JSON `blocks`. They are stored under their plain
 * names: `fi-text-message` becomes `message`. Its tracking fields control nothing here and are shown beside the data.
 */
import { itemsOf, membersOf } from '../../../kernel/json-outline.js';
import { exceedsUtf8Bytes } from '../../../kernel/utf8.js';
import { refuse } from '../../../model/errors.js';
import { isReserved, type SubmittedFields } from '../../../model/fields.js';
import { maxNameBytes } from '../body/limits.js';
import { textOf } from '../body/read-json.js';
import { type Dialect, ours, steering } from './dialect.js';

const typedName = /^fi-([a-z]+)-(.+)$/i;

/** Fields by name, in order. A taken name gets its type as a prefix; if that is taken too, the values become an array, as elsewhere. */
class Fields {
  readonly #sources = new Map<string, string[]>();
  readonly #reserved: Map<string, string>;

  constructor(reserved: ReadonlyMap<string, string>) {
    this.#reserved = new Map(reserved);
  }

  add(type: string, name: string, source: string): void {
    const steering =
      type === 'tracking' ? `fi-tracking-${name.slice(0, maxNameBytes)}` : isReserved(name) ? name : null;
    if (steering !== null) {
      const text = textOf(source);
      if (text !== null && !this.#reserved.has(steering)) this.#reserved.set(steering, text);
      return;
    }
    const free = this.#sources.has(name) ? `${type}-${name}` : name;
    const before = this.#sources.get(free);
    if (before === undefined) this.#sources.set(free, [source]);
    else before.push(source);
  }

  addBlock(source: string): void {
    const members = new Map(Array.from(membersOf(source), ({ name, value }) => [name, value]));
    const type = textOf(members.get('type') ?? '""') ?? 'text';
    const properties = members.get('properties');
    if (properties?.startsWith('{')) {
      for (const { name, value } of membersOf(properties)) this.add(type, name, value);
      return;
    }
    this.add(type, textOf(members.get('name') ?? '""') ?? type, members.get('value') ?? 'null');
  }

  get all(): SubmittedFields {
    const members = Array.from(this.#sources, ([name, sources]) => {
      const [first] = sources;
      return `${JSON.stringify(name)}:${sources.length === 1 ? first : `[${sources.join(',')}]`}`;
    });
    return { json: `{${members.join(',')}}`, values: null, reserved: this.#reserved };
  }
}

/** The client sends blocks as they are or, with `proxyUrl`, wrapped in `data`. Returns null for any other field. */
function blocksIn(name: string, source: string): readonly string[] | null {
  if (name === 'data' && source.startsWith('{')) {
    const [first, ...others] = membersOf(source);
    return first?.name === 'blocks' && others.length === 0 ? blocksIn(first.name, first.value) : null;
  }
  const blocks = name === 'blocks' && source.startsWith('[') ? itemsOf(source) : null;
  return blocks?.every((block) => block.startsWith('{')) ? blocks : null;
}

function rewrite(fields: SubmittedFields): SubmittedFields {
  const found = new Fields(fields.reserved);
  for (const { name, value } of membersOf(fields.json)) {
    const typed = typedName.exec(name);
    const blocks = blocksIn(name, value);
    if (typed) found.add(typed[1] ?? '', typed[2] ?? '', value);
    else if (blocks !== null) for (const block of blocks) found.addBlock(block);
    else found.add('field', name, value);
  }
  return found.all;
}

export const forminit: Dialect = {
  ...ours,
  name: 'forminit',
  // Sent with `proxyUrl`; the path names the form.
  steers: steering(['forminitFormId']),
  rewrite,
  check({ json }) {
    for (const { name } of membersOf(json))
      if (exceedsUtf8Bytes(name, maxNameBytes)) return refuse.tooManyBytes('field_name', maxNameBytes);
    return null;
  },
  accepted(submission) {
    const { submissionId, next } = submission;
    const named = { hashId: submissionId, submissionId };
    return { ...ours.accepted(submission), submission: named, data: named, redirectUrl: next };
  },
  refused: (_, status, problem) => ({ ...problem, success: false, message: problem.error, code: status }),
};

/** Whether a body has typed names. The first check is for the many bodies that have none. */
export function hasTypedNames(json: string): boolean {
  if (!json.includes('fi-')) return false;
  for (const { name } of membersOf(json)) if (typedName.test(name)) return true;
  return false;
}
