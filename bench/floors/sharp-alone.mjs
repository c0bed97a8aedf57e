/** The baseline for a new variant: the bare call, in a process that does nothing else. */
import sharp from 'sharp';

sharp.concurrency(1);
sharp.cache(false);

process.on('message', async ({ path, width, format, quality }) => {
  const startedAt = performance.now();
  const bytes = await sharp(path).autoOrient().resize({ width }).toFormat(format, { quality }).toBuffer();
  process.send({ ms: performance.now() - startedAt, bytes: bytes.length });
});
process.on('disconnect', () => process.exit(0));
