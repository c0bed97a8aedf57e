import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categoryOf } from './file.js';

describe('categoryOf', () => {
  it.each([
    ['image/png', 'image'],
    ['image/avif', 'image'],
    ['video/mp4', 'video'],
    ['application/pdf', 'document'],
    ['text/csv', 'document'],
    ['application/msword', 'document'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'],
    ['application/vnd.oasis.opendocument.text', 'document'],
    ['audio/mpeg', 'other'],
    ['application/zip', 'other'],
    ['application/octet-stream', 'other'],
    ['', 'other'],
  ])('puts %s among %s', (type, category) => {
    expect(categoryOf(type)).toBe(category);
  });

  it('never takes SVG for an image: it can carry script', () => {
    expect(categoryOf('image/svg+xml')).toBe('document');
  });

  it('gives one of the four of the interface, for any text', () => {
    fc.assert(
      fc.property(fc.string(), (type) => {
        expect(['image', 'document', 'video', 'other']).toContain(categoryOf(type));
      }),
    );
  });
});
