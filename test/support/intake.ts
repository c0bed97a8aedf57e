/** An intake on a store that keeps the contract of `commit` and of the idempotency keys, with a clock moved by hand. */

import { memorySignals } from '../../src/adapters/signals/memory.js';
import { createFieldLearner } from '../../src/domain/fields/learner.js';
import type { StagedFile, Staging } from '../../src/domain/files/staging.js';
import { createCommitBatcher } from '../../src/domain/submissions/commit-batcher.js';
import { createIntake, type Received } from '../../src/domain/submissions/intake.js';
import type { SubmittedFields } from '../../src/model/fields.js';
import type { Form } from '../../src/model/form.js';
import type { Quarantined } from '../../src/model/quarantine.js';
import type { IdempotentResult } from '../../src/model/submission.js';
import type { CaptchaVerifier } from '../../src/ports/captcha.js';
import { type NewEntry, type NewSubmission, StoreConflict } from '../../src/ports/store.js';
import { aCompiledForm, someTime } from './nouns.js';
import { aPlanning } from './planning.js';
import { only, onlyStore } from './ports.js';

export const upgradeUrl = 'https://inlet.test/dashboard/plan';

export const fieldsOf = (
  json = '{"name":"Ada"}',
  reserved: Record<string, string> = {},
): SubmittedFields => ({
  json,
  values: null,
  reserved: new Map(Object.entries(reserved)),
});

export interface IntakeSetting {
  readonly form?: Partial<Form>;
  readonly captcha?: CaptchaVerifier['verify'];
  /** Runs instead of a commit. A rejection is a failure of the store. */
  readonly commit?: (entries: readonly NewEntry[]) => Promise<void>;
}

export function intakeWith({ form = {}, captcha, commit }: IntakeSetting = {}) {
  let now = someTime;
  const rows: NewSubmission[] = [];
  const held: Quarantined[] = [];
  const discarded: string[] = [];
  const keys = new Map<string, IdempotentResult>();
  const nameOf = (formId: string, key: string) => `${formId} ${key}`;

  const store = onlyStore({
    async commit(entries) {
      const added = entries.flatMap((entry) => ('idempotency' in entry ? (entry.idempotency ?? []) : []));
      const names = new Set(added.map(({ formId, key }) => nameOf(formId, key)));
      const taken = [...names].some((name) => keys.has(name));
      if (taken || names.size < added.length) throw new StoreConflict('unique');
      for (const result of added) keys.set(nameOf(result.formId, result.key), result);
      for (const entry of entries) {
        if ('quarantined' in entry) held.push(entry.quarantined);
        else if ('submission' in entry) rows.push(entry);
      }
    },
    submissions: {
      async findIdempotent(formId, key) {
        return keys.get(nameOf(formId, key)) ?? null;
      },
      async dropExpiredIdempotent(formId, key, at) {
        const known = keys.get(nameOf(formId, key));
        if (known && known.expiresAt <= at) keys.delete(nameOf(formId, key));
      },
    },
  });
  const signals = memorySignals();
  let woken = 0;
  signals.subscribe('deliveries-ready', () => {
    woken += 1;
  });
  const intake = createIntake({
    learner: createFieldLearner({ store: { list: async () => [] } }),
    store,
    staging: only<Staging>({
      async discard(files) {
        discarded.push(...files.map(({ id }) => id));
      },
    }),
    batcher: createCommitBatcher({ commit: commit ?? store.commit, maxBatch: 10, maxWaiting: 10 }),
    captcha: only<CaptchaVerifier>(captcha ? { verify: captcha } : {}),
    signals,
    clock: { now: () => now },
    upgradeUrl,
    planning: aPlanning({ sendsMail: false }),
  });

  const target = aCompiledForm({ form });
  const arrival = (more: Partial<Received> = {}): Received => ({
    target,
    visit: {
      ip: '203.0.113.7',
      origin: 'https://example.com',
      referer: 'https://example.com/contact',
      serviceKey: undefined,
      userAgent: 'Browser',
      acceptLanguage: undefined,
      instance: undefined,
    },
    fields: fieldsOf(),
    files: [],
    idempotencyKey: null,
    ...more,
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { intake, arrival, rows, held, discarded, target, pass, wakeUps: () => woken };
}

/** The files of a submission as its response lists them. */
export const answered = (files: readonly StagedFile[]) =>
  files.map(({ id, filename, mimeType, sizeBytes }) => ({ id, filename, type: mimeType, size: sizeBytes }));
