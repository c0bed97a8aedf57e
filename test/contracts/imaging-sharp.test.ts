import { createSharpImaging, imagingDefaults } from '#inlet/adapters/imaging/sharp.js';
import { imagingContract } from './imaging.js';
import { imagingBench } from './imaging-bench.js';
import { hostileImagingContract } from './imaging-hostile.js';

const make = () =>
  imagingBench(
    createSharpImaging({
      ...imagingDefaults,
      processes: 1,
      // A busy machine must not cause refusals. Slowness has its own tests.
      timeoutMs: 60_000,
      onCrash() {
        throw new Error('A codec died');
      },
    }),
  );

imagingContract('sharp', make);
hostileImagingContract('sharp', make);
