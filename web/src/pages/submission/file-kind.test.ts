import { expect, it } from 'vitest';
import { fileKind } from './file-kind.js';

const all = { hasPictures: true, hasPdfViewer: true };

it.each([
  ['image/png', 'picture'],
  ['image/svg+xml', 'text'],
  ['application/pdf', 'pdf'],
  ['text/plain', 'text'],
  ['text/html', 'text'],
  ['application/json', 'text'],
  ['application/ld+json', 'text'],
  ['application/octet-stream', null],
  ['application/zip', null],
  ['application/jsonx', null],
  ['x/text/plain', null],
  ['', null],
])('%j is shown as %s', (type, kind) => {
  expect(fileKind({ type }, all)).toBe(kind);
});

it('needs the plan for pictures and the browser for PDFs', () => {
  const none = { hasPictures: false, hasPdfViewer: false };
  expect(['image/png', 'application/pdf', 'text/csv'].map((type) => fileKind({ type }, none))).toEqual([
    null,
    null,
    'text',
  ]);
});
