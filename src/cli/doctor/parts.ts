/** What can only be checked by trying: whether mail can be sent, images can be read, and Redis counts. */
import { probeImaging, probeMail, probeRedis } from '../../compose/probes.js';
import type { Config } from '../../config/options.js';
import { type Check, fail, ok, warn } from './check.js';

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export async function partChecks(config: Config): Promise<readonly Check[]> {
  return [await mail(config), await images(), ...(await redis(config))];
}

async function mail(config: Config): Promise<Check> {
  try {
    return (await probeMail(config))
      ? ok('e-mail', 'the mail server can be used')
      : ok('e-mail', 'off: no mail server is set here (SMTP_URL and MAIL_FROM), so Inlet sends no e-mail');
  } catch (error) {
    return fail(
      'e-mail',
      reason(error),
      'Set SMTP_URL right, or unset it. Mails wait until the server takes them, for two days at most.',
    );
  }
}

async function images(): Promise<Check> {
  try {
    const { missing } = await probeImaging();
    return ok(
      'images',
      missing.length === 0
        ? 'can be transformed; codecs are fully isolated'
        : `can be transformed; on this system codecs run without: ${missing.join(', ')}`,
    );
  } catch (error) {
    return fail(
      'images',
      reason(error),
      'Install Inlet again on this machine: its packages are of another platform, or incomplete.',
    );
  }
}

async function redis(config: Config): Promise<readonly Check[]> {
  try {
    return (await probeRedis(config)) ? [ok('Redis', 'takes counts')] : [];
  } catch (error) {
    const next = 'Set REDIS_URL right, or start it. Meanwhile each process counts rate limits for itself.';
    return [warn('Redis', reason(error), next)];
  }
}
