/** What the doctor tries out beside the data: the mail server and the image codec. */
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import { createSmtpMailer } from '../adapters/mailer/smtp.js';
import type { Config } from '../config/options.js';

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
export async function probeImaging(): Promise<void> {
  const imaging = createSharpImaging({ ...imagingDefaults, processes: 1, onCrash: () => {} });
  try {
    await imaging.check();
  } finally {
    await imaging.close();
  }
}
