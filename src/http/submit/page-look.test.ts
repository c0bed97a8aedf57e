import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inkOn, lookOf, plainLook } from './page-look.js';

/** WCAG 2.2, from the channels, independently of the module. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('the text on a colour', () => {
  it('passes AA on every one', () => {
    const colors = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);
    fc.assert(
      fc.property(colors, (color) => {
        const ink = inkOn(color) === '#000' ? '#000000' : '#ffffff';
        expect(contrast(color, ink)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});

it('without settings adds nothing, and each setting only its own part', () => {
  expect(lookOf({ pageColor: null, pageLogoUrl: null })).toEqual(plainLook);
  expect(lookOf({ pageColor: '#000000', pageLogoUrl: null })).toMatchObject({ logo: '', imagePolicy: '' });
  expect(lookOf({ pageColor: null, pageLogoUrl: 'https://a.test/"x"' })).toEqual({
    style: '',
    styleSource: '',
    logo: '<img src="https://a.test/&quot;x&quot;" alt="">\n',
    imagePolicy: 'img-src https://a.test; ',
  });
});
