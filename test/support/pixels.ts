/** Images to transform, painted pixel by pixel, and the pixels of the results. */
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

export type Colour = readonly [red: number, green: number, blue: number, alpha?: number];

export const red: Colour = [255, 0, 0];
export const green: Colour = [0, 160, 0];
export const blue: Colour = [0, 0, 255];
export const yellow: Colour = [255, 230, 0];
export const white: Colour = [255, 255, 255];

export type Painter = (x: number, y: number) => Colour;

/** An image whose pixels are painted by a function. `channels` 4 keeps the alpha. */
export function paint(width: number, height: number, painter: Painter, channels: 3 | 4 = 3): Sharp {
  const data = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [r, g, b, a = 255] = painter(x, y);
      data.set([r, g, b, a].slice(0, channels), (y * width + x) * channels);
    }
  }
  return sharp(data, { raw: { width, height, channels } });
}

/** Four colours that show every rotation and mirroring. Not square, for the same reason. */
export const quadrants = { width: 64, height: 32 } as const;
export const quadrantAt: Painter = (x, y) => {
  const [left, right] = y < quadrants.height / 2 ? [red, green] : [blue, yellow];
  return x < quadrants.width / 2 ? left : right;
};
export const quadrantPicture = (): Sharp => paint(quadrants.width, quadrants.height, quadrantAt);

/** Three vertical stripes: what is cut off at the sides is red and blue. */
export const stripes = { width: 300, height: 100 } as const;
export const stripedPicture = (): Sharp =>
  paint(stripes.width, stripes.height, (x) => (x < 100 ? red : x < 200 ? green : blue));

/** Where a stored pixel of an image with this EXIF orientation belongs when it is upright (EXIF 2.3, table 6). */
const uprightPlace = (orientation: number, x: number, y: number): readonly [number, number] => {
  const right = quadrants.width - 1;
  const bottom = quadrants.height - 1;
  switch (orientation) {
    case 2:
      return [right - x, y];
    case 3:
      return [right - x, bottom - y];
    case 4:
      return [x, bottom - y];
    case 5:
      return [y, x];
    case 6:
      return [right - y, x];
    case 7:
      return [right - y, bottom - x];
    case 8:
      return [y, bottom - x];
    default:
      return [x, y];
  }
};

/** The quadrants as a camera in this orientation stores them. */
export function turnedJpeg(orientation: number): Promise<Buffer> {
  const { width, height } = quadrants;
  const [storedWidth, storedHeight] = orientation >= 5 ? [height, width] : [width, height];
  return paint(storedWidth, storedHeight, (x, y) => quadrantAt(...uprightPlace(orientation, x, y)))
    .withMetadata({ orientation })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

/** Nothing repeats in it, so that quality and sizes make a difference. Always the same. */
export const noisyPicture = (width: number, height: number): Sharp => {
  let state = 7;
  return paint(width, height, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return [state >>> 24, (state >>> 16) & 255, (state >>> 8) & 255];
  });
};

export const solid = (width: number, height: number, background = '#00a000'): Sharp =>
  sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });

const pngChunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
};

/** A PNG that claims to be this large and contains almost nothing. */
export function lyingPng(width: number, height: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(64))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A GIF of this many frames of 2 x 2 pixels: red, blue, red and so on. */
export function framesGif(frames: number): Buffer {
  const screen = Buffer.from([2, 0, 2, 0, 0x80, 0, 0, ...red.slice(0, 3), ...blue.slice(0, 3)].map(Number));
  const control = Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0]);
  const place = Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0]);
  // LZW with codes of 3 bits: clear (4), two pixels, clear before the codes would grow, two pixels, end (5).
  const pixels = (index: number): Buffer => {
    const codes = [4, index, index, 4, index, index, 5];
    const bits = codes.reduce((sum, code, at) => sum | (BigInt(code) << BigInt(at * 3)), 0n);
    return Buffer.from([2, 3, Number(bits & 255n), Number((bits >> 8n) & 255n), Number(bits >> 16n), 0]);
  };
  const parts: Buffer[] = [Buffer.from('GIF89a'), screen];
  for (let frame = 0; frame < frames; frame += 1) parts.push(control, place, pixels(frame % 2));
  return Buffer.concat([...parts, Buffer.from([0x3b])]);
}

export interface Picture {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  at(x: number, y: number): [red: number, green: number, blue: number, alpha: number];
}

/** The pixels as stored: nothing is rotated and no profile is applied. */
export async function look(bytes: Buffer): Promise<Picture> {
  const { format, channels } = await sharp(bytes).metadata();
  const { data, info } = await sharp(bytes, { ignoreIcc: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    format,
    channels,
    width: info.width,
    height: info.height,
    at(x, y) {
      const from = (y * info.width + x) * 4;
      const [r = -1, g = -1, b = -1, a = -1] = data.subarray(from, from + 4);
      return [r, g, b, a];
    },
  };
}

/** The difference of two colours in the channel in which they differ most. */
export const distance = (one: Colour, other: Colour): number =>
  Math.max(...[0, 1, 2, 3].map((channel) => Math.abs((one[channel] ?? 255) - (other[channel] ?? 255))));
