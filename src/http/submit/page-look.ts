/** The look that an owner chose for the pages of a form: as parts of the page, and of the policy, which allows only these parts. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../kernel/html.js';
import type { Form } from '../../model/form.js';

export interface PageLook {
  readonly style: string;
  readonly logo: string;
  /** What the policy allows besides our own stylesheet. */
  readonly styleSource: string;
  readonly imagePolicy: string;
}

export const plainLook: PageLook = { style: '', logo: '', styleSource: '', imagePolicy: '' };

/** Relative luminance (WCAG 2.2) of `#rrggbb`. */
function luminanceOf(color: string): number {
  const channel = (start: number): number => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** Whichever is more readable on the colour. Where they are equal, both have a contrast of 4.58, which passes AA. */
export const inkOn = (color: string): '#000' | '#fff' => (luminanceOf(color) > 0.179 ? '#000' : '#fff');

function styleOf(text: string): Pick<PageLook, 'style' | 'styleSource'> {
  const hash = createHash('sha256').update(text).digest('base64');
  return { style: `<style>${text}</style>\n`, styleSource: ` 'sha256-${hash}'` };
}

const logoOf = (url: string): Pick<PageLook, 'logo' | 'imagePolicy'> => ({
  logo: `<img src="${escapeHtml(url)}" alt="">\n`,
  imagePolicy: `img-src ${new URL(url).origin}; `,
});

type Looks = Pick<Form, 'pageColor' | 'pageLogoUrl'>;

const lookWith =
  (rules: (color: string) => string) =>
  ({ pageColor, pageLogoUrl }: Looks): PageLook =>
    pageColor === null && pageLogoUrl === null
      ? plainLook
      : {
          ...plainLook,
          ...(pageColor === null ? {} : styleOf(rules(pageColor))),
          ...(pageLogoUrl === null ? {} : logoOf(pageLogoUrl)),
        };

export const lookOf = lookWith(
  (color) => `a,button,.done{background:${color};border-color:${color};color:${inkOn(color)}}`,
);

/** For the page with the form. */
export const formLookOf = lookWith((color) => `:root{--ground:${color};--on:${inkOn(color)}}`);
