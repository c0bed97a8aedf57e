import { describe, expect, it } from 'vitest';
import { someTime } from '../../../test/support/nouns.js';
import { type Content, RecentContents } from './recent.js';

const content: Content = {
  filename: 'a.png',
  mimeType: 'image/png',
  sizeBytes: 1,
  sha256: '',
  modifiedAt: someTime,
  isOurs: false,
  read: async () => Buffer.alloc(1),
};
const aMebibyte = Buffer.alloc(1024 * 1024);

const keep = (recent: RecentContents, key: string, generation = recent.generation): void =>
  recent.keepBytes(key, recent.add(key, content, generation), aMebibyte);

describe('recent contents', () => {
  it('are found for a moment', () => {
    let now = someTime;
    const recent = new RecentContents({ now: () => now });
    keep(recent, 'a');
    expect(recent.find('a')?.bytes).toBe(aMebibyte);
    now += 1_000;
    expect(recent.find('a')).toBeNull();
  });

  it('are not what was looked for before a deletion', () => {
    const recent = new RecentContents({ now: () => someTime });
    const { generation } = recent;
    recent.clear();
    keep(recent, 'a', generation);
    expect(recent.find('a')).toBeNull();
  });

  it('stay within their bytes, also when what is old comes late', () => {
    const recent = new RecentContents({ now: () => someTime });
    const old = recent.generation;
    recent.clear();
    const keys = Array.from({ length: 30 }, (_, i) => String(i));
    for (const key of keys) {
      keep(recent, key);
      recent.add(key, content, old);
    }
    const held = keys.filter((key) => recent.find(key)?.bytes);
    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThanOrEqual(9);
  });
});
