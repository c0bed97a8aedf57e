/** Every page with a form loads the browser script, so it must stay small. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const maxBytes = 5_632;

it('inlet.js fits its budget', () => {
  const script = readFileSync(new URL('../../dist/client/inlet.js', import.meta.url));
  const bytes = gzipSync(script, { level: 9 }).length;
  process.stdout.write(`inlet.js: ${script.length} bytes, ${bytes} compressed, of ${maxBytes}\n`);
  expect(bytes).toBeLessThan(maxBytes);
});

it.each(['inlet.js', 'inlet-solver.js', 'inlet-embed.js'])(
  '%s is one classic script without names of its own',
  (name) => {
    const text = readFileSync(new URL(`../../dist/client/${name}`, import.meta.url), 'utf8').trim();
    expect(text).toMatch(/^\(function\(\)\{[\s\S]*\}\)\(\);?$/);
    // Browsers of 2019 cannot parse this syntax and would load none of the script.
    expect(text).not.toMatch(/\?\.[a-z[(]|\?\?/);
  },
);
