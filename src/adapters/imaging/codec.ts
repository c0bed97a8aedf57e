/** Processes one image with sharp: upright, resized, sRGB, stripped, encoded. Runs only in the codec process. */
import type { Sharp } from 'sharp';
import { type ImageSourceType, maxSourcePixels, planSize, type Recipe } from '../../model/image.js';
import type { CodecAnswer, CodecRequest } from './protocol.js';

export type SharpModule = typeof import('sharp')['default'];

/** Everything else that libvips could read (SVG, PDF, TIFF, …, and any file) is unnecessary attack surface. */
const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`);

export async function loadSharp(): Promise<SharpModule> {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders });
  // One job at a time, each image once: a cache would only take memory, and more threads would take cores
  // from the service.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

const formatsBySource: Readonly<Record<ImageSourceType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
};

interface Head {
  readonly format: string;
  /** The pixels of one frame. */
  readonly pixels: number;
  readonly upright: { readonly width: number; readonly height: number };
}

/**
 * The heads of earlier images: bytes never change under their name, and a page requests several sizes of an image at
 * once. Reading the head again took 1 of the 53 ms of a small image.
 */
const knownHeads = new Map<string, Head>();
const maxKnownHeads = 64;

async function headOf(sharp: SharpModule, name: string, source: Buffer): Promise<Head> {
  const known = knownHeads.get(name);
  if (known) return known;
  const read = await sharp(source, { limitInputPixels: false }).metadata();
  const head = {
    format: read.format,
    pixels: read.width * (read.pageHeight ?? read.height),
    upright: read.autoOrient,
  };
  if (knownHeads.size >= maxKnownHeads) knownHeads.clear();
  knownHeads.set(name, head);
  return head;
}

export type Encoded = { readonly answer: CodecAnswer; readonly bytes: Buffer | null };

const refused = (reason: 'too_many_pixels' | 'broken' | 'too_slow'): Encoded => ({
  answer: { kind: 'refused', reason },
  bytes: null,
});

export async function encode(
  sharp: SharpModule,
  source: Buffer,
  { name, sourceType, recipe, timeoutMs }: CodecRequest,
): Promise<Encoded> {
  try {
    const { format, pixels, upright } = await headOf(sharp, name, source);
    if (format !== formatsBySource[sourceType]) return refused('broken');
    if (pixels > maxSourcePixels) return refused('too_many_pixels');
    const size = planSize(upright, recipe);
    // Not 'warning', sharp's default: it rejects JPEGs that cameras pad in ways that every browser accepts. Truncated
    // images are still rejected.
    const image = sharp(source, { limitInputPixels: maxSourcePixels, failOn: 'error', pages: 1 })
      .timeout({ seconds: Math.max(1, Math.floor(timeoutMs / 1000)) })
      .autoOrient();
    if (size.width !== upright.width || size.height !== upright.height) {
      // Only a recipe with both sides can crop. For a thin strip, one side is rounded up to a pixel. Cover would
      // take that for a requested shape and cut the ends off.
      const isShape = recipe.width !== null && recipe.height !== null;
      image.resize({ ...size, fit: isShape && recipe.fit === 'cover' ? 'cover' : 'fill' });
    }
    const bytes = await inFormat(image, recipe).toBuffer();
    return {
      answer: { kind: 'made', mimeType: `image/${recipe.format}`, sizeBytes: bytes.length },
      bytes,
    };
  } catch (error) {
    return faultOf(error);
  }
}

function inFormat(image: Sharp, { format, quality }: Recipe): Sharp {
  image.toColourspace('srgb');
  switch (format) {
    case 'jpeg':
      // JPEG has no transparency. Without a background, transparent parts would turn black.
      return image.flatten({ background: '#ffffff' }).jpeg({ quality: quality ?? 80 });
    case 'webp':
      return image.webp({ quality: quality ?? 80 });
    case 'png':
      return image.png();
  }
}

/** libvips reports errors only as text. Running out of memory is not the image's fault, so this rethrows it. */
function faultOf(error: unknown): Encoded {
  const text = error instanceof Error ? error.message : String(error);
  if (/out of memory|cannot allocate memory|bad_alloc/i.test(text)) throw error;
  if (text.includes('exceeds pixel limit')) return refused('too_many_pixels');
  if (text.startsWith('timeout:')) return refused('too_slow');
  return refused('broken');
}
