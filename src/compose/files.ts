/** The part of the composition that serves files, and images made from them. */
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import type { AuditTrail } from '../domain/audit/trail.js';
import { FileService } from '../domain/files/service.js';
import { ImageService } from '../domain/images/service.js';
import { systemTimers } from '../kernel/clock.js';
import type { Imaging } from '../ports/imaging.js';
import type { ServiceParts, Services } from './parts.js';

export function composeFiles(
  parts: ServiceParts,
  { tokens }: Services,
  { trail, isUnderPressure }: { readonly trail: AuditTrail; readonly isUnderPressure: () => boolean },
): FileService {
  const { config, log, foundation, store, clock, signals, metrics, closer } = parts;
  const { blobs } = foundation;
  const imaging = composeImaging(parts, isUnderPressure);
  const images = new ImageService({
    ...{ store, blobs, imaging, clock, timers: systemTimers },
    limits: { maxPerFile: 50, maxTotalBytes: config.imageCacheBytes },
    observe: metrics.image,
    onLateFault: (error) => log.warn({ err: error }, 'a stored image variant was not accounted for'),
  });
  // Transformations in progress are cut off, finished ones are stored.
  closer.add('images', () => images.settle());
  closer.add('imaging', () => imaging.close());
  return new FileService({
    ...{ store, blobs, images, tokens, signals, clock, trail },
    accessTokenLifeMs: config.fileTokenTtlMs,
    upgradeUrl: config.upgradeUrl,
  });
}

function composeImaging({ log, foundation, metrics }: ServiceParts, isUnderPressure: () => boolean): Imaging {
  const imaging = createSharpImaging({
    ...imagingDefaults,
    folder: foundation.dataDir.path,
    isUnderPressure,
    onIsolation: ({ missing }) =>
      missing.length === 0
        ? log.info('image codecs are fully isolated')
        : log.info({ missing }, 'image codecs run without some isolation that this system does not support'),
    onFailure: (error) => log.error({ err: error }, 'images cannot be processed: no image codec can be used'),
    onCrash: () => log.error('an image codec died; an image that ends two of them is refused for 10 minutes'),
  });
  metrics.watch('inlet_images_waiting', 'Images that wait for a codec', () => imaging.waiting);
  return imaging;
}
