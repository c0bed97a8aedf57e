/** What the doctor tries apart from the data: the mail server, the image codec, Redis, the bucket. */
import { setTimeout as pause } from 'node:timers/promises';
import { memoryCounters } from '../adapters/counters/memory.js';
import { composeLetter } from '../adapters/destinations/email/letter.js';
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import type { Config } from '../config/options.js';
import { newId } from '../kernel/ids.js';
import type { CodecIsolation } from '../ports/imaging.js';
import { type MailOutcome, ordinaryMail } from '../ports/mailer.js';
import { openBucket } from './bucket.js';
import { createMailer } from './mailer.js';

/** Rejects when the mail server cannot be used. Returns false when none is set. */
export async function probeMail(config: Config): Promise<boolean> {
  const mailer = createMailer(config, { timeoutMs: 10_000 });
  if (mailer === null) return false;
  try {
    await mailer.check();
    return true;
  } finally {
    await mailer.close();
  }
}

/** Sends a test mail in the layout of all mails. Throws when no mail server is set. */
export async function sendTestMail(config: Config, to: string): Promise<MailOutcome> {
  const mailer = createMailer(config, { timeoutMs: 30_000 });
  if (mailer === null) throw new Error('No mail server is set');
  const heading = 'Test mail from Inlet';
  try {
    return await mailer.send({
      ...ordinaryMail,
      ...{ id: newId(Date.now()), to, shownTo: [to], shownCc: [], replyTo: null, subject: heading },
      ...composeLetter({
        language: 'en',
        preview: 'This instance can send e-mail to you.',
        overline: '',
        heading,
        lead: '',
        paragraphs: [
          'This instance can send e-mail to you.',
          'To see whether others accept it too, look at the header “Authentication-Results” of this e-mail in your mail program. ' +
            'It should say spf=pass, dkim=pass and dmarc=pass.',
        ],
        button: { label: 'Open the dashboard', link: `${config.baseUrl}/dashboard/` },
        footer: [`You received this e-mail because someone ran “inlet doctor --mail ${to}” on the server.`],
      }),
    });
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

/** Rejects when Redis does not count within some seconds. Returns false when none is set. */
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

/** Rejects when the bucket cannot be used. Returns false when files are on disk. Needs neither the database nor DATA_DIR. */
export async function probeBucket({ storageUrl }: Config): Promise<boolean> {
  if (storageUrl === null) return false;
  await (await openBucket(storageUrl)).check();
  return true;
}
