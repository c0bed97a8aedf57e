/** The dashboard opens quickly: what a browser loads before it shows anything stays small. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const maxFirstBytes = 200_000;
const maxTypefaceBytes = 60_000;
const folder = fileURLToPath(new URL('../../dist/web', import.meta.url));
const page = readFileSync(join(folder, 'index.html'), 'utf8');
const assets = readdirSync(join(folder, 'assets'));
const plain = assets.filter((name) => !name.endsWith('.br'));

/** The files of a kind that the page names. */
const named = (ending: string): readonly string[] =>
  [...page.matchAll(new RegExp(`"\\./assets/([^"]+\\.${ending})"`, 'g'))].map(([, name = '']) => name);

/** The scripts that the page names, and those that they import before they run. */
function firstScripts(): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const text = readFileSync(join(folder, 'assets', name), 'utf8');
    for (const [, other = ''] of text.matchAll(
      /(?:^|;|\})import(?:[^'"`();]*?from)?["'`]\.\/([^"'`]+\.js)["'`]/g,
    ))
      visit(other);
  };
  for (const name of named('js')) visit(name);
  return [...found];
}

describe('the built dashboard', () => {
  it('sends little script and style before the first page', () => {
    const [scripts, styles] = [firstScripts(), named('css')];
    expect([scripts.length > 0, styles.length]).toEqual([true, 1]);
    const bytes = [...scripts, ...styles].reduce(
      (sum, name) => sum + gzipSync(readFileSync(join(folder, 'assets', name)), { level: 9 }).length,
      0,
    );
    process.stdout.write(`dashboard: ${bytes} bytes of script and style, compressed, of ${maxFirstBytes}\n`);
    expect(bytes).toBeLessThan(maxFirstBytes);
  });

  it('asks for one small file of its typeface beside the first script', () => {
    const [file, ...others] = named('woff2');
    expect(others).toEqual([]);
    const bytes = readFileSync(join(folder, 'assets', file ?? '')).length;
    process.stdout.write(`dashboard: ${bytes} bytes of typeface, of ${maxTypefaceBytes}\n`);
    expect(bytes).toBeLessThan(maxTypefaceBytes);
  });

  it('tells the licence of the typeface', () => {
    const notices = readFileSync(join(folder, '..', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(notices).toMatch(/@fontsource-variable\/geist \S+ \(OFL-1\.1\)[\s\S]{0,400}SIL Open Font License/);
  });

  it('has names that change with the content, and every file compressed', () => {
    expect(plain.length).toBeGreaterThan(10);
    for (const name of plain) {
      expect(name).toMatch(/-[\w-]{8}\.(js|css|svg|woff2)$/);
      // Fonts are already compressed.
      if (name.endsWith('.woff2')) continue;
      expect(existsSync(join(folder, 'assets', `${name}.br`))).toBe(true);
    }
  });

  it('has no script and no style in the page itself', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/i);
  });
});
