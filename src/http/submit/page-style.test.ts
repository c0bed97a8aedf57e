import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { visitorStyle, visitorStylePath } from './page-style.js';

/** The colours by name, for light and for dark. */
const palettes = Array.from(visitorStyle.matchAll(/:root\{([^}]*)\}/g), ([, block = '']) =>
  Object.fromEntries(Array.from(block.matchAll(/--(\w+):(#\w+)/g), ([, name, colour]) => [name, colour])),
);

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one = '', other = ''): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe('the stylesheet', () => {
  it('has a light and a dark palette with the same names', () => {
    expect(palettes).toHaveLength(2);
    expect(Object.keys(palettes[0] ?? {}).toSorted()).toEqual(Object.keys(palettes[1] ?? {}).toSorted());
  });

  it.each([
    ['light', 0],
    ['dark', 1],
  ])('passes AA in the %s one: text, link and marks on the card', (_, index) => {
    const { card, ...colours } = palettes[index] ?? {};
    expect(contrast('#fff', '#000000')).toBeCloseTo(21, 5);
    for (const name of ['ink', 'quiet', 'accent', 'wait', 'stop']) {
      expect([name, contrast(colours[name], card) >= 4.5]).toEqual([name, true]);
    }
  });

  it('is named by its content and loads nothing', () => {
    const hash = createHash('sha256').update(visitorStyle).digest('hex');
    expect(visitorStylePath).toBe(`assets/visitor-${hash.slice(0, 16)}.css`);
    expect(visitorStyle).not.toMatch(/url\(|@import|@font-face/);
  });
});
