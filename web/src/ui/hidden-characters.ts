/**
 * Visitors' text as it should be displayed: characters that hide or reorder the text around them are written out, such as
 * [U+202E]. Only for display: what is stored, exported and forwarded stays as it was submitted.
 *
 * The dashboard has a copy of this file, because it runs in browsers and imports nothing from the service. A test compares the two.
 */

/**
 * Always shown. Overrides, embeddings and isolates make `invoice<U+202E>fdp.exe` look like a PDF. Arabic and Hebrew do not
 * need them in an element of their own. The rest is invisible and belongs to no script in use: old format characters,
 * invisible operators, letters without a shape, annotations, and tags, which spell invisible ASCII.
 */
const alwaysShown =
  '[\\u202a-\\u202e\\u2066-\\u206f\\u2061-\\u2065\\u115f\\u1160\\u180e\\u3164\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]';
/** Shown next to ASCII, where they only make one word look like another. Elsewhere, Persian, Thai and emoji need them. */
const joiners = '[\\u200b-\\u200d\\u2060\\ufeff]';
const joinersBesideAscii = `(?<=[!-~])${joiners}|${joiners}(?=[!-~])`;
/** LRM, RLM and ALM correct the order of punctuation in right-to-left text. Shown if the text has no right-to-left letters. */
const directionMarks = '[\\u200e\\u200f\\u061c]';
const rightToLeft =
  /[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** The flags of England, Scotland and Wales are spelt with tags, which hide nothing there. */
const flag = '\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{1,6}\\u{e007f}';

const hidden = new RegExp(`${flag}|${alwaysShown}|${joinersBesideAscii}`, 'gu');
const hiddenOrMark = new RegExp(`${hidden.source}|${directionMarks}`, 'gu');

const nameOf = (found: string): string => {
  const code = found.codePointAt(0) ?? 0;
  return code === 0x1f3f4 ? found : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
};

export const shownCharacters = (text: string): string =>
  text.replace(rightToLeft.test(text) ? hidden : hiddenOrMark, nameOf);
