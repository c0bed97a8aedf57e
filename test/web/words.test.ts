/** Text that people read in the dashboard is in web/src/words/, and only there. Code, keys and URLs are not text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../web/src', import.meta.url));
const sources = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** Attributes and properties that people read or hear, even if they are a single word. */
const read = new Set([
  'action',
  'alt',
  'aria-label',
  'cancel',
  'confirm',
  'description',
  'heading',
  'help',
  'hint',
  'label',
  'message',
  'noun',
  'placeholder',
  'text',
  'title',
  'word',
  'words',
]);

/** Attributes and properties for machines, which may contain spaces. */
const forMachines = new Set(['accept', 'autoComplete', 'className', 'rel', 'target', 'viewBox']);

/** The same in every language: names of services, of formats, and of what is sent over the network. */
const names = new Set([
  'Basin',
  'CSV',
  'Cloudflare Turnstile',
  'FormSubmit',
  'Forminit (Getform)',
  'Formspark',
  'Formspree',
  'Go',
  'Google Sheets',
  'Google reCAPTCHA',
  'Inlet',
  'JSON',
  'MAIL_FROM',
  'Microsoft Teams',
  'Netlify Forms',
  'Node',
  'PHP',
  'POST',
  'PUT',
  'Python',
  'Python requests',
  'Ruby',
  'SMTP_URL',
  'Samsung Internet',
  'StaticForms',
  'Telegram',
  'Web3Forms',
  'formcarry',
  'hCaptcha',
  'null',
]);

/** URLs, host names, colours, and examples of keys. */
const forms = [/^https?:/, /^\S+@\S+$/, /^[\w-]+\.com$/, /^var\(--/, /^\d+:ABC-DEF…$/, /^X-Team$/] as const;

/** Found by the rules, but not text for people: a file, the beginning of the string, and why. */
const noWords: readonly (readonly [file: string, beginning: string, reason: string])[] = [
  ['navigation.ts', 'main a', 'a selector'],
  ['pages/destinations/filter-editor.tsx', '{"submission"', 'JSON as an example'],
  ['pages/destinations/kinds.ts', '{"type": "service_account"', 'JSON as an example'],
  ['pages/destinations/kinds.ts', '{{fields.name}}', 'a template as an example'],
  ['pages/form/settings-hosted.tsx', '<iframe src=', 'code to copy'],
  ['pages/form/settings-spam.tsx', '<div style=', 'code to copy'],
  ['pages/plan/plan-page.tsx', 'inlet accounts set-plan', 'a command'],
  ['pages/setup/setup-page.tsx', '#token=…', 'the end of an address'],
  ['pages/sign-in/sign-in-form.tsx', 'inlet users reset-password', 'a command'],
  ['pages/entrance/forgot-password-page.tsx', 'inlet users reset-password', 'a command'],
  ['pages/sign-in/sign-in-page.tsx', '/dashboard/setup#token=…', 'the end of an address'],
  ['ui/code/tokens.ts', '', 'keywords of programming languages'],
  ['ui/delivery-cause.ts', 'There is no way to', 'what the server says, to be recognised'],
  ['ui/keyboard.ts', 'input:not(', 'a selector'],
  ['ui/keyboard.ts', 'a, button', 'a selector'],
];

const twoWords = /[A-Za-z][a-z’']*[,.:;!?…)”]* +[(“]?[A-Za-z]/;
const letters = /[A-Za-z]{2}/;

const nameOf = (node: ts.Node): string | null =>
  ts.isJsxAttribute(node) || ts.isPropertyAssignment(node) ? node.name.getText() : null;

/** Looks past `condition ? here : there`, `condition && here`, `(here)` and `{here}`, to the node around them. */
function placeOf(node: ts.Node): ts.Node {
  const { parent } = node;
  const isPassedOn =
    ts.isParenthesizedExpression(parent) ||
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    (ts.isBinaryExpression(parent) && /^(?:&&|\|\||\?\?)$/.test(parent.operatorToken.getText())) ||
    (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent));
  return isPassedOn ? placeOf(parent) : parent;
}

/** Types, imports, exports, keys, and errors that only a programmer sees. */
const isForProgrammers = (place: ts.Node, node: ts.Node): boolean =>
  ts.isImportDeclaration(place) ||
  ts.isExportDeclaration(place) ||
  ts.isLiteralTypeNode(place) ||
  ts.isElementAccessExpression(place) ||
  (ts.isPropertyAssignment(place) && place.name === node) ||
  (ts.isNewExpression(place) && place.expression.getText() === 'Error');

/** The literal text of a template: `Delete ${…}`, with an ellipsis for each value. */
const textOf = (node: ts.TemplateExpression): string =>
  [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('\u{2026}');

function isRead(node: ts.Node, text: string): boolean {
  const place = placeOf(node);
  if (isForProgrammers(place, node) || names.has(text) || forms.some((form) => form.test(text))) return false;
  const name = nameOf(place);
  if (name !== null && forMachines.has(name)) return false;
  if ((name !== null && read.has(name)) || ts.isJsxExpression(place)) return letters.test(text);
  return twoWords.test(text);
}

function wordsIn(file: string, source: string): readonly string[] {
  const found: string[] = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const text = ts.isJsxText(node) || ts.isStringLiteralLike(node) ? node.text : null;
    if (
      text !== null &&
      (ts.isJsxText(node) ? letters.test(text) && !names.has(text.trim()) : isRead(node, text))
    )
      found.push(text.trim().replaceAll(/\s+/g, ' '));
    if (ts.isTemplateExpression(node) && isRead(node, textOf(node))) found.push(textOf(node));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found.map((text) => `${file}: ${text}`);
}

const isAllowed = (finding: string): boolean =>
  noWords.some(([file, beginning]) => finding.startsWith(`${file}: ${beginning}`));

const findings = sources
  .filter((file) => !file.startsWith('words/'))
  .flatMap((file) => wordsIn(file, readFileSync(join(root, file), 'utf8')));

it('has no words outside the catalogue', () => {
  expect(sources.length).toBeGreaterThan(150);
  expect(findings.filter((finding) => !isAllowed(finding))).toEqual([]);
});

it('allows nothing that is not there', () => {
  expect(
    noWords.filter(([file, beginning]) => !findings.some((each) => each.startsWith(`${file}: ${beginning}`))),
  ).toEqual([]);
});

it.each([
  ['text', '<p>Hello</p>'],
  ['a word of a condition', "<p>{isLive ? 'live' : null}</p>"],
  ['a label', '<input aria-label="Name" />'],
  ['a label of a condition', "<input aria-label={isNew ? 'New' : words.old} />"],
  ['a property', "({ label: 'Name' })"],
  ['a sentence', "tellDone('It was saved')"],
  ['a sentence with a value', `tellDone(\`\${name} was saved\`)`],
])('finds %s', (_, source) => {
  expect(wordsIn('a.tsx', `const found = ${source};`)).toHaveLength(1);
});

it.each([
  ['a class', '<p className="plain-link mono" />'],
  ['a key', "({ 'first name': 1 })"],
  ['words of the catalogue', '<p title={words.saved}>{words.saveChanges}</p>'],
  ['an address', `open(\`/forms/\${id}/settings\`)`],
])('leaves %s alone', (_, source) => {
  expect(wordsIn('a.tsx', `const found = ${source};`)).toEqual([]);
});

it('names one locale, in one place', () => {
  const naming = sources.filter((file) =>
    /\bIntl\.|\.toLocale|['"`]en(?:-[A-Z]{2})?['"`]/.test(readFileSync(join(root, file), 'utf8')),
  );
  // The other one names a language that mails can have.
  expect(naming.sort()).toEqual(['words/format.ts', 'words/mail-editor.ts']);
});
