/**
 * SQLite that records its statements. A commit counts as a sync of the log only if SQLite is set to sync it (`synchronous` FULL or more).
 * Whether SQLite then really syncs is for strace to see.
 */
import { backup, DatabaseSync as RealDatabase } from '@photostructure/sqlite';
import { note, now } from './sync-note.mjs';

const log = 'inlet.db-wal';

export { backup };

export class DatabaseSync extends RealDatabase {
  #pragma(name) {
    return Object.values(super.prepare(`PRAGMA ${name}`).get())[0];
  }

  #noteCommit(begin) {
    if (this.#pragma('journal_mode') !== 'wal' || Number(this.#pragma('synchronous')) < 2) return;
    note({ call: 'sync', path: log, begin });
  }

  exec(text) {
    const begin = now();
    super.exec(text);
    if (/\bCOMMIT\b/i.test(text)) this.#noteCommit(begin);
  }

  prepare(text) {
    const statement = super.prepare(text);
    const commits = /^\s*COMMIT\b/i.test(text);
    const run = (...params) => {
      const begin = now();
      const result = Reflect.getPrototypeOf(statement).run.apply(statement, params);
      if (!commits) note({ call: 'write', path: log, text: params.join(' '), begin });
      // Outside a transaction the statement is its own commit.
      if (commits || !this.isTransaction) this.#noteCommit(commits ? begin : now());
      return result;
    };
    return Object.defineProperty(statement, 'run', { value: run });
  }
}
