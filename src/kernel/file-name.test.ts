import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeFilename } from './file-name.js';

describe('safeFilename', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['Grüße 😀.txt', 'Grüße 😀.txt'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\cv.docx', 'cv.docx'],
    ['a/b\\c/d.txt', 'd.txt'],
    ['../../x', 'x'],
    ['.htaccess', '.htaccess'],
    ['a\u0000b\r\nc\u007f\u0085.txt', 'abc.txt'],
    ['\u202egpj.exe', 'gpj.exe'],
    ['a\u2028b\u2029\u2066c\u200f\u061c.txt', 'abc.txt'],
    ['  spaced .txt ', 'spaced .txt'],
    ['e\u0301.txt', '\u00e9.txt'],
  ])('makes %j into %j', (claimed, safe) => {
    expect(safeFilename(claimed)).toBe(safe);
  });

  it.each(['', '.', '..', '/', 'a/', '\u0000', ' \t ', '..\u202e', 'x/..'])(
    'has a name for %j',
    (claimed) => {
      expect(safeFilename(claimed)).toBe('file');
    },
  );

  it('cuts a long name at 255 bytes and keeps its extension', () => {
    expect(safeFilename(`${'x'.repeat(300)}.jpeg`)).toBe(`${'x'.repeat(250)}.jpeg`);
    expect(safeFilename('x'.repeat(255))).toBe('x'.repeat(255));
    expect(safeFilename('x'.repeat(256))).toBe('x'.repeat(255));
  });

  it('cuts between characters, never inside one', () => {
    expect(safeFilename(`${'😀'.repeat(100)}.png`)).toBe(`${'😀'.repeat(62)}.png`);
    expect(safeFilename(`a.${'ü'.repeat(200)}`)).toBe(`a.${'ü'.repeat(126)}`);
  });

  it('gives one harmless path segment for any claim', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (claimed) => {
        const safe = safeFilename(claimed);
        expect(safe).not.toMatch(/[/\\\p{Cc}\u202a-\u202e]/u);
        expect(['', '.', '..']).not.toContain(safe);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255);
        expect(safeFilename(safe)).toBe(safe);
      }),
    );
  });
});
