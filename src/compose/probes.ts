/** What the doctor tries out beside the data: the mail server, the image codec, Redis, the bucket. */
import { setTimeout as pause } from 'node:timers/promises';
import { memoryCounters } from '../adapters/counters/memory.js';
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import { createSmtpMailer } from '../adapters/mailer/smtp.js';
import type { Config } from '../config/options.js';
import type { CodecIsolation } from '../ports/imaging.js';
import { openBucket } from './bucket.js';

/** Rejects when the mail server cannot be used; false when none is set. */
export async function probeMail({ smtpUrl, mailFrom }: Config): Promise<boolean> {
  if (smtpUrl === null || mailFrom === null) return false;
  const mailer = createSmtpMailer({ url: smtpUrl, from: mailFrom, timeoutMs: 10_000 });
  try {
    await mailer.check();
    return true;
  } finally {
    await mailer.close();
  }
}

/** Rejects when no image codec can be started. */
export async function probeImaging(): Promise<CodecIsolation> {
  const imaging = createSharpImaging({ ...imagingDefaults, processes: 1, onCrash: () => {} });
  try {
    return await imaging.check();
  } finally {
    await imaging.close();
  }
}

const redisWithinMs = 5_000;

/** Rejects when Redis does not take a count within some seconds; false when none is set. */
export async function probeRedis({ redisUrl }: Config): Promise<boolean> {
  if (redisUrl === null) return false;
  const { redisCounters } = await import('../adapters/counters/redis.js');
  let why = 'it does not answer';
  const counters = redisCounters({
    url: redisUrl,
    fallback: memoryCounters({ now: Date.now }),
    onDown: (reason) => {
      why = reason;
    },
    onUp: () => {},
  });
  try {
    const endsAt = performance.now() + redisWithinMs;
    while (!counters.isShared()) {
      if (performance.now() > endsAt) throw new Error(`Redis cannot be used: ${why}`);
      await pause(20);
    }
    return true;
  } finally {
    await counters.close();
  }
}

/** Rejects when the bucket cannot be used; false when files are on disk. Needs neither the database nor DATA_DIR. */
export async function probeBucket({ storageUrl }: Config): Promise<boolean> {
  if (storageUrl === null) return false;
  await (await openBucket(storageUrl)).check();
  return true;
}
