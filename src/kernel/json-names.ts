/**
 * The names of the top-level members of JSON text, and nothing else of it, in pieces: whoever reads a million texts of
 * strangers can let others have their turn, also in the middle of a large one.
 */
import {
  closeBrace,
  closeBracket,
  colon,
  decoded,
  isEscaped,
  openBrace,
  openBracket,
  quote,
} from './json-outline.js';

/** What is read in one piece: at most 1 ms, the time of so many empty strings in a list. */
const stepsAtOnce = 20_000;

/**
 * Only for text that JSON.parse takes as an object. No generator, although it would be shorter: it took a third longer, and
 * twice as long for large texts.
 */
export class NameWalk {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #isInString = false;
  #nameStart = 0;
  #nameEnd = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads one more piece and hands over each name as often as it stands there; false: that was the last. */
  next(onName: (name: string) => void): boolean {
    const text = this.#text;
    let at = this.#at;
    let depth = this.#depth;
    let isInString = this.#isInString;
    let nameStart = this.#nameStart;
    let nameEnd = this.#nameEnd;
    for (let steps = 0; at < text.length && steps < stepsAtOnce; at += 1, steps += 1) {
      if (isInString) {
        at = text.indexOf('"', at);
        if (at === -1) return false;
        isInString = isEscaped(text, at);
        nameEnd = at;
        continue;
      }
      switch (text.charCodeAt(at)) {
        case quote:
          nameStart = at;
          isInString = true;
          break;
        case colon:
          if (depth === 1) onName(decoded(text, nameStart, nameEnd) ?? '');
          break;
        case openBrace:
        case openBracket:
          depth += 1;
          break;
        case closeBrace:
        case closeBracket:
          depth -= 1;
          break;
      }
    }
    this.#at = at;
    this.#depth = depth;
    this.#isInString = isInString;
    this.#nameStart = nameStart;
    this.#nameEnd = nameEnd;
    return at < text.length;
  }
}
