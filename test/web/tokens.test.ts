/** Colours, sizes and durations of the dashboard are defined in one place: web/src/ui/tokens.css. Everything else refers to them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../web/src', import.meta.url));
const sources = (ending: RegExp): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

const inStyles = [
  /#[\da-f]{3,8}\b/i,
  /\b(?:rgb|hsl|oklch)a?\(/,
  /\b\d+(?:\.\d+)?px\b/,
  /\b[1-9]\d*ms\b/,
] as const;

const inComponents = [
  // A colour, except in a placeholder, where it is an example.
  /(?<!placeholder=)["'`]#[\da-f]{3,8}["'`]/i,
  // A size. A minus before it means that something is moved out of sight.
  /(?<![-\d.])\d+(?:\.\d+)?px\b/,
  // Spacing that is not a multiple of 4.
  /\b(?:gap|[pm][trblxy]?)=\{(?!(?:\d*[02468][048]|\d*[13579][26]|[048])\})\d+\}/,
  /\b(?:gap|rowGap|columnGap|padding\w*|margin\w*): [1-9]/,
] as const;

function findings(names: readonly string[], rules: readonly RegExp[]): readonly string[] {
  return names.flatMap((name) =>
    readFileSync(join(root, name), 'utf8')
      .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
      .split('\n')
      .flatMap((line, index) =>
        rules.some((rule) => rule.test(line)) ? [`${name}:${index + 1} ${line.trim()}`] : [],
      ),
  );
}

it('names no colour, size or duration in a style sheet but the one of the tokens', () => {
  const sheets = sources(/\.css$/);
  expect(
    findings(sheets, inStyles).filter((finding) => finding.startsWith('ui/tokens.css')).length,
  ).toBeGreaterThan(50);
  expect(findings(sheets, inStyles).filter((finding) => !finding.startsWith('ui/tokens.css'))).toEqual([]);
});

it('names no colour and no size in a component, and no space beside the scale', () => {
  const components = sources(/\.tsx?$/);
  expect(components.length).toBeGreaterThan(100);
  // The middleware of the search takes only numbers, and cameras read QR codes that are black on white.
  const isKnown = (finding: string) =>
    finding.endsWith('middlewares={{ shift: { mainAxis: true, padding: 8 } }}') ||
    finding.startsWith('pages/your-account/qr-code.tsx');
  expect(findings(components, inComponents).filter((finding) => !isKnown(finding))).toEqual([]);
});

it('uses only tokens that exist', () => {
  const text = (name: string) => readFileSync(join(root, name), 'utf8');
  const known = new Set([...text('ui/tokens.css').matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
  const ours =
    /var\((--(?:inlet|state|chart|space|text|radius|control|icon|motion|shadow|teal|green|amber|red|violet|gray|dark)[\w-]*)/g;
  const used = [...sources(/\.css$/), ...sources(/\.tsx?$/)].flatMap((name) =>
    [...text(name).matchAll(ours)].map(([, token = '']) => ({ name, token })),
  );
  expect(used.length).toBeGreaterThan(200);
  // theme.ts builds the names of its shades.
  expect(used.filter(({ token }) => !known.has(token) && !token.endsWith('-'))).toEqual([]);
});
