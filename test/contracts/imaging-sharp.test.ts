import { createSharpImaging, imagingDefaults } from '#inlet/adapters/imaging/sharp.js';
import { imagingContract } from './imaging.js';
import { imagingBench } from './imaging-bench.js';
import { hostileImagingContract } from './imaging-hostile.js';

const make = () =>
  imagingBench(
    createSharpImaging({
      ...imagingDefaults,
      processes: 1,
      // A noisy machine must not turn a picture away; what is slow has tests of its own.
      timeoutMs: 60_000,
      onCrash() {
        throw new Error('A codec died');
      },
    }),
  );

imagingContract('sharp', make);
hostileImagingContract('sharp', make);
