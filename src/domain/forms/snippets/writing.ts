/** Writes elements as text. Labels, names and choices are escaped so that no framework reads code in them. */
import type { Element } from './elements.js';

type Value = string | number | true;

interface Syntax {
  readonly attribute: (name: string, value: Value) => string;
  /** The end of an element without children. */
  readonly end: (tag: string) => string;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  // HTML cannot represent it.
  '\0': '\ufffd',
};

/** Vue, Svelte, Astro and JSX read expressions in braces. Line breaks would be lost, and invisible characters could mislead. */
const textOf = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /[&<>{}\0\t\n\r\u2028\u2029]|\p{Cf}/gu,
      (character) => escapes[character] ?? `&#${character.codePointAt(0)};`,
    );

/** Inside double quotes. */
export const escaped = (text: string): string => textOf(text).replaceAll('"', '&quot;');

const htmlAttribute = (name: string, value: Value): string =>
  value === true ? name : `${name}="${escaped(String(value))}"`;

const html: Syntax = {
  attribute: htmlAttribute,
  end: (tag) => (tag === 'input' ? '>' : `></${tag}>`),
};

const jsxNames: Readonly<Record<string, string>> = {
  autocomplete: 'autoComplete',
  minlength: 'minLength',
  maxlength: 'maxLength',
};

/** `position: absolute; left: 0` as an object. */
const styleObject = (style: string): string =>
  `{{ ${style.replaceAll(/: ([^;]+)/g, ": '$1'").replaceAll(';', ',')} }}`;

const jsx: Syntax = {
  attribute(name, value) {
    if (name === 'style') return `style=${styleObject(String(value))}`;
    if (name === 'tabindex') return `tabIndex={${value}}`;
    return htmlAttribute(jsxNames[name] ?? name, value);
  },
  end: () => ' />',
};

export const indented = (lines: readonly string[], indent: string): readonly string[] =>
  lines.map((line) => indent + line);

/** Whether each child gets its own line. */
const isBlock = ({ tag, children }: Element): boolean =>
  ['div', 'fieldset', 'select'].includes(tag) ||
  (tag === 'p' && children.length > 1) ||
  children.some((child) => typeof child !== 'string' && isBlock(child));

function linesOf(element: Element, syntax: Syntax): readonly string[] {
  const { tag, attributes, children } = element;
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : ` ${syntax.attribute(name, value)}`,
  );
  const start = `<${tag}${written.join('')}`;
  if (children.length === 0) return [start + syntax.end(tag)];
  const inner = children.map((child) =>
    typeof child === 'string' ? [textOf(child)] : linesOf(child, syntax),
  );
  if (!isBlock(element)) return [`${start}>${inner.flat().join('')}</${tag}>`];
  return [
    `${start}>`,
    ...indented(
      inner.flat().map((line) => line.trimEnd()),
      '  ',
    ),
    `</${tag}>`,
  ];
}

export const htmlLines = (element: Element): readonly string[] => linesOf(element, html);

export const jsxLines = (element: Element): readonly string[] => linesOf(element, jsx);
