/** Images for the tests: real ones by sharp, and ones that only an attacker makes, written byte by byte. */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

export type Bytes = Uint8Array<ArrayBuffer>;
export const asBytes = (buffer: Uint8Array): Bytes => Uint8Array.from(buffer);

/** Noise compresses badly, so that sizes in bytes and qualities make a difference. */
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });

export type PictureFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif';

export async function picture(format: PictureFormat, width: number, height: number): Promise<Bytes> {
  const image = noise(width, height);
  const encoded = format === 'avif' ? image.avif({ effort: 0, quality: 50 }) : image.toFormat(format);
  return asBytes(await encoded.toBuffer());
}

/** A photo as a phone takes it, with the place and the model of the phone. */
export async function photoWithPlace(width: number, height: number): Promise<Bytes> {
  return asBytes(
    await noise(width, height)
      .withExif({
        IFD0: { Make: 'Spyglass', Model: 'Mark IV' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'E' },
      })
      .jpeg()
      .toBuffer(),
  );
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A complete black PNG with one bit per pixel: millions of pixels in a few thousand bytes. */
export function blackPng(width: number, height: number, rows = height): Bytes {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * rows));
  return asBytes(
    Buffer.concat([
      pngSignature,
      chunk('IHDR', header),
      chunk('IDAT', pixels),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
}

/** The same image, marked as an animation of one frame, as tools for animated PNG write it. */
export function animatedPng(png: Bytes): Bytes {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(1, 0);
  const afterHeader = pngSignature.length + 25;
  return asBytes(
    Buffer.concat([png.subarray(0, afterHeader), chunk('acTL', control), png.subarray(afterHeader)]),
  );
}

/** Repeats the one frame of a GIF this many times. */
export function gifOfFrames(gif: Bytes, frames: number): Bytes {
  const globalTable = ((gif[10] ?? 0) & 0x80) === 0 ? 0 : 3 * 2 ** (((gif[10] ?? 0) & 7) + 1);
  const head = gif.subarray(0, 13 + globalTable);
  const frame = gif.subarray(head.length, -1);
  return asBytes(Buffer.concat([head, ...Array.from({ length: frames }, () => frame), gif.subarray(-1)]));
}

/** Headers that claim a huge image, with almost no data behind them. */
export const hugeHeaders: Readonly<Record<string, () => Promise<Bytes>>> = {
  PNG: async () => blackPng(60_000, 60_000, 1),
  JPEG: async () => {
    const jpeg = Buffer.from(await picture('jpeg', 16, 16));
    const frame = jpeg.indexOf(Buffer.from('ffc0', 'hex'));
    jpeg.writeUInt16BE(60_000, frame + 5);
    jpeg.writeUInt16BE(60_000, frame + 7);
    return asBytes(jpeg);
  },
  GIF: async () => {
    const gif = Buffer.from(await picture('gif', 16, 16));
    gif.writeUInt16LE(60_000, 6);
    gif.writeUInt16LE(60_000, 8);
    const frame = gif.indexOf(Buffer.from('2c0000000010001000', 'hex'));
    gif.writeUInt16LE(60_000, frame + 5);
    gif.writeUInt16LE(60_000, frame + 7);
    return asBytes(gif);
  },
};
