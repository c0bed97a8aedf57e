/** The dashboard opens quickly: what a browser loads before it shows anything stays small, and charts come later. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const maxFirstScriptBytes = 250_000;
const folder = fileURLToPath(new URL('../../dist/web', import.meta.url));
const page = readFileSync(join(folder, 'index.html'), 'utf8');
const assets = readdirSync(join(folder, 'assets'));
const plain = assets.filter((name) => !/\.(gz|br)$/.test(name));

/** What the page names, and what those scripts import before they run. */
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
  for (const [, name = ''] of page.matchAll(/"\.\/assets\/([^"]+\.js)"/g)) visit(name);
  return [...found];
}

describe('the built dashboard', () => {
  it('sends little script before the first page', () => {
    const scripts = firstScripts();
    expect(scripts.length).toBeGreaterThan(0);
    const bytes = scripts.reduce(
      (sum, name) => sum + readFileSync(join(folder, 'assets', `${name}.gz`)).length,
      0,
    );
    process.stdout.write(`dashboard: ${bytes} bytes of script, compressed, of ${maxFirstScriptBytes}\n`);
    expect(bytes).toBeLessThan(maxFirstScriptBytes);
  });

  it('loads no charts before they are shown', () => {
    for (const name of firstScripts()) {
      expect(readFileSync(join(folder, 'assets', name), 'utf8')).not.toContain('recharts-surface');
    }
  });

  it('has names that change with the content, and every file compressed', () => {
    expect(plain.length).toBeGreaterThan(10);
    for (const name of plain) {
      expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
      for (const ending of ['gz', 'br'])
        expect(existsSync(join(folder, 'assets', `${name}.${ending}`))).toBe(true);
    }
  });

  it('has no script and no style in the page itself', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/i);
  });
});
