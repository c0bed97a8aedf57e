/** How the parts of the instance are, in words. Pure. */
import { countOf } from '../../ui/numbers.js';
import type { Instance } from '../../wire.js';
import { formatBytes, formatDuration } from '../../words/format.js';

export interface Check {
  readonly name: string;
  readonly state: 'good' | 'waiting' | 'bad' | 'off';
  readonly words: string;
  readonly hint?: string;
}

/** As GET /attention has it. */
const lowDiskBytes = 1024 ** 3;
/** A receiver that fails is tried again within minutes; what is due for longer is not being sent. */
const slowQueueMs = 60_000;
const stuckQueueMs = 15 * 60_000;

const engines: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function databaseCheck({ engine, size_bytes }: Instance['database']): Check {
  const words = [engines[engine] ?? engine, ...(size_bytes === null ? [] : [formatBytes(size_bytes)])];
  return { name: 'Database', state: 'good', words: words.join(', ') };
}

function storageCheck({ kind, free_bytes }: Instance['storage']): Check {
  const name = 'Storage of files';
  const place = kind === 'disk' ? 'Disk' : kind;
  if (free_bytes === null) return { name, state: 'good', words: place };
  const words = `${place}, ${formatBytes(free_bytes)} free`;
  if (free_bytes >= lowDiskBytes) return { name, state: 'good', words };
  return {
    name,
    state: 'bad',
    words,
    hint: 'When the disk is full, submissions are rejected. Free space, or delete data you no longer need.',
  };
}

/** Only the operator's account is told of everybody's queue. */
function queueChecks({ waiting, age_ms }: Instance['queue']): readonly Check[] {
  return waiting === null || age_ms === null ? [] : [queueCheck(waiting, age_ms)];
}

function queueCheck(waiting: number, age_ms: number): Check {
  const name = 'Webhook queue';
  if (waiting === 0) return { name, state: 'good', words: 'Nothing is waiting' };
  const count = countOf(waiting, 'delivery', 'deliveries');
  if (age_ms < slowQueueMs) return { name, state: 'good', words: `${count} waiting, none is late` };
  const words = `${count} waiting, the oldest is late by ${formatDuration(age_ms)}`;
  return age_ms < stuckQueueMs
    ? {
        name,
        state: 'waiting',
        words,
        hint: 'Endpoints are slow, or many submissions arrived at once. It will catch up.',
      }
    : { name, state: 'bad', words, hint: 'Look at the deliveries of your projects and at the log.' };
}

export function checksOf(instance: Instance): readonly Check[] {
  const { database, storage, queue, mail } = instance;
  return [
    databaseCheck(database),
    storageCheck(storage),
    ...queueChecks(queue),
    mail.is_configured
      ? { name: 'E-mail', state: 'good', words: 'A mail server is set' }
      : {
          name: 'E-mail',
          state: 'off',
          words: 'No mail server is set',
          hint: 'Notifications are not sent. Set SMTP_URL and MAIL_FROM to send them.',
        },
  ];
}
