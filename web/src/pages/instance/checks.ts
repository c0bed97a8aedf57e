import type { Instance } from '../../wire.js';
import { formatBytes, formatList } from '../../words/format.js';
import * as words from '../../words/instance.js';

export interface Check {
  readonly name: string;
  readonly state: 'good' | 'waiting' | 'bad' | 'off';
  readonly words: string;
  readonly hint?: string;
}

/** As in GET /attention. */
const lowDiskBytes = 1024 ** 3;
/** A failing destination is retried within minutes. Deliveries overdue for longer are not being sent. */
const slowQueueMs = 60_000;
const stuckQueueMs = 15 * 60_000;

const engines: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function databaseCheck({ engine, size_bytes }: Instance['database']): Check {
  const facts = [engines[engine] ?? engine, ...(size_bytes === null ? [] : [formatBytes(size_bytes)])];
  return { name: words.database, state: 'good', words: formatList(facts) };
}

function storageCheck({ kind, free_bytes }: Instance['storage']): Check {
  const name = words.storageOfFiles;
  const place = kind === 'disk' ? words.disk : kind;
  if (free_bytes === null) return { name, state: 'good', words: place };
  const said = words.diskFree(place, free_bytes);
  if (free_bytes >= lowDiskBytes) return { name, state: 'good', words: said };
  return {
    name,
    state: 'bad',
    words: said,
    hint: words.diskFullHint,
  };
}

/** Only the operator's account sees the queue of all accounts. */
function queueChecks({ waiting, age_ms }: Instance['queue']): readonly Check[] {
  return waiting === null || age_ms === null ? [] : [queueCheck(waiting, age_ms)];
}

function queueCheck(waiting: number, age_ms: number): Check {
  const name = words.deliveryQueue;
  if (waiting === 0) return { name, state: 'good', words: words.queueEmpty };
  if (age_ms < slowQueueMs) return { name, state: 'good', words: words.queueOnTime(waiting) };
  const said = words.queueLate(waiting, age_ms);
  return age_ms < stuckQueueMs
    ? {
        name,
        state: 'waiting',
        words: said,
        hint: words.queueSlowHint,
      }
    : { name, state: 'bad', words: said, hint: words.queueStuckHint };
}

export function checksOf(instance: Instance): readonly Check[] {
  const { database, storage, queue, mail } = instance;
  return [
    databaseCheck(database),
    storageCheck(storage),
    ...queueChecks(queue),
    mail.is_configured
      ? { name: words.email, state: 'good', words: words.mailSet }
      : {
          name: words.email,
          state: 'off',
          words: words.mailNotSet,
          hint: words.mailNotSetHint,
        },
  ];
}
