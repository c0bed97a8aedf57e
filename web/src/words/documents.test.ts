import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documentation } from './documents.js';

const folder = new URL('../../../docs/', import.meta.url);

it('offers pages that exist, by their headings, and says what each is for', () => {
  const offered = Object.entries(documentation);
  expect(offered.length).toBeGreaterThan(50);
  for (const [file, [title, description]] of offered) {
    expect(existsSync(new URL(file, folder)), file).toBe(true);
    const [, heading] = /^# (.+)$/m.exec(readFileSync(new URL(file, folder), 'utf8')) ?? [];
    expect(heading, file).toBe(title);
    if (!file.startsWith('reference/')) expect(description, file).toMatch(/^[A-Z].+\.$/);
  }
});
