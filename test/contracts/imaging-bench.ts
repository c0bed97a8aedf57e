/** Tries out an imaging adapter: sources in their own folder, results read to the end. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImageSourceType, Recipe } from '../../src/model/image.js';
import type { Imaging, ImagingOutcome } from '../../src/ports/imaging.js';

export type Read =
  | { readonly kind: 'made'; readonly mimeType: string; readonly bytes: Buffer }
  | Exclude<ImagingOutcome, { kind: 'made' }>;

export interface ImagingBench {
  readonly imaging: Imaging;
  /** Writes a file with these bytes and returns its path. */
  lay(bytes: Buffer | string): Promise<string>;
  run(path: string, sourceType: ImageSourceType, recipe?: Partial<Recipe>): Promise<ImagingOutcome>;
  /** The outcome with its bytes. */
  read(outcome: ImagingOutcome): Promise<Read>;
  /** Lays, runs and reads. */
  try(bytes: Buffer | string, sourceType: ImageSourceType, recipe?: Partial<Recipe>): Promise<Read>;
  /** Like `try`, but fails unless an image is made. */
  make(
    bytes: Buffer | string,
    sourceType: ImageSourceType,
    recipe?: Partial<Recipe>,
  ): Promise<Extract<Read, { kind: 'made' }>>;
  dispose(): Promise<void>;
}

export type MakeImagingBench = () => Promise<ImagingBench>;

export const anyRecipe = (more: Partial<Recipe> = {}): Recipe => ({
  width: null,
  height: null,
  fit: 'cover',
  quality: more.format === undefined || more.format === 'png' ? null : 80,
  format: 'png',
  ...more,
});

export async function imagingBench(imaging: Imaging): Promise<ImagingBench> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-imaging-'));
  let laid = 0;
  const bench: ImagingBench = {
    imaging,
    async lay(bytes) {
      laid += 1;
      const path = join(folder, `source-${laid}`);
      await writeFile(path, bytes);
      return path;
    },
    run: (path, sourceType, recipe) => imaging.transform({ path, sourceType, recipe: anyRecipe(recipe) }),
    async read(outcome) {
      if (outcome.kind !== 'made') return outcome;
      const { kind, mimeType, bytes } = outcome;
      return { kind, mimeType, bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.concat(await bytes.toArray()) };
    },
    async try(bytes, sourceType, recipe) {
      return bench.read(await bench.run(await bench.lay(bytes), sourceType, recipe));
    },
    async make(bytes, sourceType, recipe) {
      const result = await bench.try(bytes, sourceType, recipe);
      if (result.kind !== 'made') throw new Error(`No picture: ${JSON.stringify(result)}`);
      return result;
    },
    async dispose() {
      await imaging.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return bench;
}
