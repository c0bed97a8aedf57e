/**
 * A person whose data was submitted, identified by an e-mail address, a phone number or words. Pure.
 *
 * A person is found by whole tokens, never by parts: `ann@example.com` is not found in `joann@example.com`, because what is
 * found is deleted. Tokens can also be compared as keyed hashes, to find a person again whose address is not stored.
 */
import { isMailbox } from '../kernel/email-address.js';
import { plainWords, wordsOf } from './words.js';

type PersonKind = 'email' | 'phone' | 'text';

export interface PersonKey {
  readonly kind: PersonKind;
  /** All of them must occur in this order, next to each other. An address or a number is one token. */
  readonly tokens: readonly string[];
}

/** How a token is compared: as is, or as its keyed hash. */
export type Spelling = (token: string) => string;

const asItIs: Spelling = (token) => token;

const minLetters = 3;
const minDigits = 6;
const maxDigits = 18;
const phone = /^[+(]?[\d\s().\-/]+$/;

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '').replace(/^00/, '');

/** Returns null when there is too little to search for. */
export function personKey(q: string): PersonKey | null {
  const text = q.trim();
  if (isMailbox(text)) return { kind: 'email', tokens: [text.toLowerCase()] };
  const digits = digitsOf(text);
  if (phone.test(text) && digits.length >= minDigits && digits.length <= maxDigits)
    return { kind: 'phone', tokens: [digits] };
  const words = plainWords(text);
  return words.join('').length >= minLetters ? { kind: 'text', tokens: words } : null;
}

/** The key as a single text, of which a hash is stored. */
export const keyText = ({ kind, tokens }: PersonKey): string => `${kind} ${tokens.join(' ')}`;

/** Characters that the part before the @ cannot contain. It is examined only up to the length that an address can have. */
const outsideLocal = /[\s@<>()[\]\\,;:"\p{Cc}]/u;
const maxLocalLength = 64;
const domain = /[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,252}[\p{L}\p{N}])?/uy;
/** In links, and in words such as `to=ann@example.com`, the address follows one of these. */
const leads = /[=/?&|'!*{}#$^`~%]/g;

/** Yields a possible match, or null for none yet. There is little work between two yields, whatever the text. */
type Candidates = Generator<string | null, void>;

/**
 * Reads outwards from each @: searching for the part before it took seconds in a long text. If `wanted` is known, only addresses
 * that end with it are split, because a mebibyte of `=` and addresses has a million parts.
 */
function* addressesIn(text: string, wanted: string | null): Candidates {
  const plain = (text.includes('%40') ? text.replaceAll('%40', '@') : text).toLowerCase();
  let end = 0;
  for (let at = plain.indexOf('@'); at >= 0; at = plain.indexOf('@', Math.max(end, at + 1))) {
    let start = at;
    while (start > end && at - start < maxLocalLength && !outsideLocal.test(plain.charAt(start - 1)))
      start -= 1;
    domain.lastIndex = at + 1;
    const [host] = domain.exec(plain) ?? [];
    yield null;
    if (start === at || host === undefined) continue;
    end = at + 1 + host.length;
    const local = plain.slice(start, at);
    const address = `${local}@${host}`;
    yield address;
    if (wanted !== null && !address.endsWith(wanted)) continue;
    for (const lead of local.matchAll(leads)) yield `${local.slice(lead.index + 1)}@${host}`;
  }
}

const numberRun = /\d(?:[\s().\-/+]{0,3}\d){5,40}/g;

/**
 * Groups of digits next to each other, because a date can precede a number. If `wanted` is known, only runs that contain it
 * are split: a mebibyte of digits has eight million such groups.
 */
function* numbersIn(text: string, wanted: string | null): Candidates {
  for (const [run] of text.matchAll(numberRun)) {
    yield null;
    if (wanted !== null && !run.replaceAll(/\D/g, '').includes(wanted)) continue;
    const groups = run.split(/\D+/);
    for (let from = 0; from < groups.length; from += 1) {
      let digits = '';
      for (const group of groups.slice(from)) {
        digits += group;
        if (digits.length > maxDigits + 2) break;
        if (digits.length >= minDigits) yield digits.startsWith('00') ? digits.slice(2) : digits;
      }
    }
  }
}

function* hasWords(text: string, wanted: readonly string[], spell: Spelling): Search {
  const last: string[] = [];
  for (const word of wordsOf(text)) {
    last.push(spell(word));
    if (last.length > wanted.length) last.shift();
    if (last.length === wanted.length && wanted.every((one, index) => last[index] === one)) return true;
    yield;
  }
  return false;
}

function* isInText(text: string, { kind, tokens }: PersonKey, spell: Spelling): Search {
  if (kind === 'text') return yield* hasWords(text, tokens, spell);
  const [wanted = null] = tokens;
  const known = spell === asItIs ? wanted : null;
  for (const token of kind === 'email' ? addressesIn(text, known) : numbersIn(text, known)) {
    if (token !== null && spell(token) === wanted) return true;
    yield;
  }
  return false;
}

/** The texts in a JSON text, including names. Anything that is not JSON is one text. */
function* textsIn(stored: string): Generator<string> {
  if (!/^\s*[[{"]/.test(stored)) return yield stored;
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return yield stored;
  }
  yield* leavesOf(value);
}

/** Without recursion: the author of a note decides how deeply it is nested, and a note with 5,000 levels ended every search. */
function* leavesOf(value: unknown): Generator<string> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string') yield one;
    else if (typeof one === 'number') yield String(one);
    else if (typeof one === 'object' && one !== null) {
      if (!Array.isArray(one)) yield* Object.keys(one);
      for (const inner of Object.values(one)) left.push(inner);
    }
  }
}

/** Returns whether the person was found. Other work can run between two steps. */
export type Search = Generator<undefined, boolean>;

/**
 * Searches stored texts for the person. It runs in steps: a mebibyte of single digits has eight million groups to hash,
 * which blocked everything else for 15 s.
 */
export function* searchFor(
  stored: readonly (string | null)[],
  key: PersonKey,
  spell: Spelling = asItIs,
): Search {
  for (const text of stored) {
    if (text === null || text === '') continue;
    for (const one of textsIn(text)) {
      if (yield* isInText(one, key, spell)) return true;
      yield;
    }
    // A text within a text, such as JSON that a template put into a JSON field.
    if (key.kind === 'email' && (yield* isInText(text, key, spell))) return true;
  }
  return false;
}

/** The same in one go, for short texts. */
export function isPersonIn(...where: Parameters<typeof searchFor>): boolean {
  const search = searchFor(...where);
  for (;;) {
    const step = search.next();
    if (step.done) return step.value;
  }
}

/**
 * Returns lower-case ASCII text that every stored text with the person also contains, unless it escapes characters. Returns
 * null when there is no such text. Databases find it faster than we can read.
 */
export function needleOf({ kind, tokens }: PersonKey): string | null {
  if (kind !== 'email') return null;
  const parts = tokens.flatMap((token) => token.split('@')).filter((part) => /^[\x21-\x7e]+$/.test(part));
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
  return longest.length >= minLetters ? longest : null;
}
