import { describe, expect, it } from 'vitest';
import { record } from '#inlet/domain/audit/record.js';
import { createAuditTrail } from '#inlet/domain/audit/trail.js';
import { StoreFull } from '#inlet/ports/store.js';
import type { AuditAction } from '../../../src/contract/audit.js';
import { nowhere, type Recorder } from '../../../src/model/audit.js';
import type { AuditFilter } from '../../../src/ports/audit.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness } from './harness.js';
import { aProject, madeAccount } from './samples.js';

const all: AuditFilter = {
  ...{ actor: null, actorKind: null, action: null, objectId: null, objectKind: null, from: null, to: null },
};
const page = { limit: 1000, before: null };

const recorderOf = (accountId: string, name = 'ada@example.com'): Recorder => ({
  accountId,
  actor: { kind: 'user', id: 'ada', name, ...nowhere },
});

const note = (store: Store, who: Recorder, action: AuditAction = 'form.updated', after: object = {}) =>
  store.tx(async (tx) =>
    record(tx, who, { action, object: { kind: 'form', id: 'f', name: 'Contact' }, after }),
  );

const entriesOf = (store: Store, accountId: string, filter: Partial<AuditFilter> = {}) =>
  store.audit.list(accountId, { ...all, ...filter }, page);

const faultIn = async (store: Store, accountId: string) =>
  (await store.audit.verify(() => {})).find((report) => report.accountId === accountId)?.fault;

export function auditContract(make: MakeHarness): void {
  describe('the audit log', () => {
    const harness = fresh(make);

    it('has an entry of a change that is kept, and none of one that is rolled back', async () => {
      const { store } = harness();
      const { id: accountId } = await madeAccount(store);
      const project = aProject(accountId);
      const change = (isKept: boolean) =>
        store.tx(async (tx) => {
          const object = { kind: 'project', id: project.id, name: 'Site' };
          record(tx, recorderOf(accountId), { action: 'project.created', object, after: { name: 'Site' } });
          await tx.projects.create(project);
          if (!isKept) throw new Error('changed my mind');
        });
      await expect(change(false)).rejects.toThrow('changed my mind');
      expect(await entriesOf(store, accountId)).toEqual([]);
      await change(true);
      expect(await entriesOf(store, accountId)).toMatchObject([
        { seq: 1, action: 'project.created', actorName: 'ada@example.com', afterValues: '{"name":"Site"}' },
      ]);
    });

    it('tells after the commit, in the order of the entries', async () => {
      const { store } = harness();
      const { id: accountId } = await madeAccount(store);
      const told: unknown[] = [];
      const stop = store.audit.watch((recorded) => void told.push(recorded));
      await note(store, recorderOf(accountId));
      await note(store, recorderOf(accountId), 'form.deleted');
      stop();
      await note(store, recorderOf(accountId));
      expect(told).toEqual([
        { accountId, seq: 1, action: 'form.updated' },
        { accountId, seq: 2, action: 'form.deleted' },
      ]);
    });

    it('is one chain by account, whichever process writes', async () => {
      const { store, another } = harness();
      const other = await another();
      try {
        const accounts = [await madeAccount(store), await madeAccount(store)];
        const jobs = accounts.flatMap(({ id }) =>
          Array.from({ length: 20 }, (_, index) => note(index % 2 === 0 ? store : other, recorderOf(id))),
        );
        await Promise.all(jobs);
        for (const { id } of accounts) {
          const seqs = (await entriesOf(store, id)).map(({ seq }) => seq);
          expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
          expect(await faultIn(store, id)).toBeNull();
        }
      } finally {
        await other.close();
      }
    });

    it('counts earlier entries only once, if a start is given', async () => {
      const { store, another } = harness();
      const other = await another();
      try {
        const { id: accountId } = await madeAccount(store);
        const see = (by: Store, who: Recorder, object: string, since: number) =>
          by.tx(async (tx) => {
            const event = {
              action: 'submission.viewed',
              object: { kind: 'submission', id: object },
            } as const;
            record({ record: (made) => tx.record(made, since) }, who, event);
          });
        const ada = recorderOf(accountId);
        const grace = { accountId, actor: { ...ada.actor, id: 'grace' } };
        await see(store, ada, 'one', 0);
        await see(other, ada, 'one', 0);
        await see(store, ada, 'two', 0);
        await see(store, grace, 'one', 0);
        expect(await entriesOf(store, accountId)).toHaveLength(3);
        await see(store, ada, 'one', Date.now() + 60_000);
        expect(await entriesOf(store, accountId)).toHaveLength(4);
        await store.tx(async (tx) => {
          for (let times = 0; times < 3; times += 1)
            record({ record: (made) => tx.record(made, 0) }, ada, {
              ...{ action: 'submission.viewed', object: { kind: 'submission', id: 'three' } },
            });
        });
        expect(await entriesOf(store, accountId)).toHaveLength(5);
      } finally {
        await other.close();
      }
    });

    it('is found by who, what and when', async () => {
      const { store } = harness();
      const { id: accountId } = await madeAccount(store);
      const grace: Recorder = { accountId, actor: { kind: 'key', id: 'k', name: 'Backups', ...nowhere } };
      await note(store, recorderOf(accountId));
      await note(store, grace, 'form.deleted');
      await note(store, grace, 'file.deleted');
      await note(store, recorderOf((await madeAccount(store)).id));
      const found = async (filter: Partial<AuditFilter>) =>
        (await entriesOf(store, accountId, filter)).map(({ seq }) => seq);
      expect(await found({})).toEqual([3, 2, 1]);
      expect(await found({ actor: 'k' })).toEqual([3, 2]);
      expect(await found({ actor: 'Backups', actorKind: 'key' })).toEqual([3, 2]);
      expect(await found({ actorKind: 'user' })).toEqual([1]);
      expect(await found({ action: 'form' })).toEqual([2, 1]);
      expect(await found({ action: 'form.deleted' })).toEqual([2]);
      expect(await found({ action: 'for' })).toEqual([]);
      expect(await found({ objectId: 'f', objectKind: 'form' })).toEqual([3, 2, 1]);
      expect(await found({ objectId: 'g' })).toEqual([]);
      expect(await found({ from: Date.now() - 60_000, to: Date.now() + 60_000 })).toEqual([3, 2, 1]);
      expect(await found({ to: Date.now() - 60_000 })).toEqual([]);
      const second = await store.audit.list(accountId, all, { limit: 1, before: 3 });
      expect(second.map(({ seq }) => seq)).toEqual([2]);
    });

    it('can be neither changed nor shortened', async () => {
      const { store, run } = harness();
      const { id: accountId } = await madeAccount(store);
      await note(store, recorderOf(accountId));
      const statements = [
        "UPDATE audit_entries SET action = 'form.deleted'",
        "UPDATE audit_entries SET actor_name = 'grace@example.com'",
        'DELETE FROM audit_entries',
        'DELETE FROM audit_chains',
      ];
      for (const statement of statements) await expect(run(statement), statement).rejects.toThrow();
      expect(await faultIn(store, accountId)).toBeNull();
    });

    /** Changes by an attacker with full access to the database, but without the secret. */
    const behindItsBack = [
      [
        'a changed action',
        "UPDATE audit_entries SET action = 'form.deleted' WHERE seq = 2",
        2,
        'it was changed',
      ],
      [
        'a changed name',
        "UPDATE audit_entries SET actor_name = 'eve' WHERE seq = 2",
        2,
        'a value in it was changed',
      ],
      [
        'a changed detail',
        "UPDATE audit_entries SET after_values = '{}' WHERE seq = 2",
        2,
        'a value in it was changed',
      ],
      [
        'a blanked name',
        'UPDATE audit_entries SET actor_name = NULL WHERE seq = 2',
        2,
        'a value in it was changed',
      ],
      [
        'a redaction that nobody recorded',
        "UPDATE audit_entries SET actor_name = NULL, after_values = NULL, object_name = NULL, salts = '[]' WHERE seq = 2",
        2,
        'values were blanked and no entry says so',
      ],
      ['a missing entry', 'DELETE FROM audit_entries WHERE seq = 2', 3, 'entries before it are missing'],
      ['a missing end', 'DELETE FROM audit_entries WHERE seq = 3', 3, 'the last entries are missing'],
      ['a moved end', 'UPDATE audit_chains SET seq = 2', 2, 'the end of the chain was changed'],
      ['a moved beginning', 'UPDATE audit_chains SET anchor_seq = 1', 3, 'the end of the chain was changed'],
    ] as const;
    it.each(behindItsBack)(
      'is seen to be broken by %s, also after it went on',
      async (_, statement, seq, reason) => {
        const { store, run } = harness();
        const { id: accountId } = await madeAccount(store);
        for (let entry = 1; entry <= 3; entry += 1)
          await note(store, recorderOf(accountId), 'form.updated', { entry });
        expect(await faultIn(store, accountId)).toBeNull();
        await withoutTriggers(run);
        await run(statement);
        expect(await faultIn(store, accountId)).toEqual({ seq, reason });
        await note(store, recorderOf(accountId)).catch(() => {});
        expect(await faultIn(store, accountId)).toBeTruthy();
      },
    );

    it('is seen to be broken by a last entry that was taken away without a trace, also after it went on', async () => {
      const { store, run } = harness();
      const { id: accountId } = await madeAccount(store);
      for (let entry = 1; entry <= 3; entry += 1)
        await note(store, recorderOf(accountId), 'form.updated', { entry });
      await withoutTriggers(run);
      await run(`DELETE FROM audit_entries WHERE seq = 3 AND account_id = '${accountId}'`);
      await run(`UPDATE audit_chains SET seq = 2, hash = (SELECT hash FROM audit_entries entry
        WHERE entry.account_id = audit_chains.account_id AND entry.seq = 2) WHERE account_id = '${accountId}'`);
      const broken = { seq: 2, reason: 'the end of the chain was changed' };
      expect(await faultIn(store, accountId)).toEqual(broken);
      // The new entry fits the forged end of the chain. Only the signature reveals the change.
      await note(store, recorderOf(accountId));
      expect(await entriesOf(store, accountId)).toHaveLength(3);
      expect(await faultIn(store, accountId)).toEqual({ ...broken, seq: 3 });
    });

    it('loses what is personal and stays whole', async () => {
      const { store, storedTexts } = harness();
      const { id: accountId } = await madeAccount(store);
      const who = recorderOf(accountId);
      await note(store, who, 'form.updated', { notify_emails: ['eve@example.org'] });
      await note(store, who, 'form.updated', { name: 'Contact' });
      await note(store, recorderOf(accountId, 'eve@example.org'), 'file.viewed');
      const isEve = (text: string) => text.includes('eve@example.org');
      expect(await store.audit.redactStep(who, 0, isEve)).toEqual({ next: null, redacted: 2 });
      expect(await store.audit.redactStep(who, 0, isEve)).toEqual({ next: null, redacted: 0 });
      expect((await storedTexts()).filter(isEve)).toEqual([]);
      expect(await entriesOf(store, accountId)).toMatchObject([
        { seq: 4, action: 'audit.redacted', afterValues: '{"entries":[1,3]}' },
        { seq: 3, actorName: null, actorId: 'ada' },
        { seq: 2, afterValues: '{"name":"Contact"}' },
        { seq: 1, actorName: 'ada@example.com', afterValues: null },
      ]);
      expect(await faultIn(store, accountId)).toBeNull();
    });

    it('loses its oldest entries and stays whole', async () => {
      const { store, run } = harness();
      const { id: accountId } = await madeAccount(store);
      for (let entry = 0; entry < 5; entry += 1) await note(store, recorderOf(accountId));
      expect(await store.audit.expireStep(Date.now() - 60_000)).toBe(false);
      expect(await entriesOf(store, accountId)).toHaveLength(5);
      expect(await store.audit.expireStep(Date.now() + 60_000)).toBe(true);
      expect(await store.audit.expireStep(Date.now() + 60_000)).toBe(false);
      expect(await entriesOf(store, accountId)).toEqual([]);
      await note(store, recorderOf(accountId));
      expect(await entriesOf(store, accountId)).toMatchObject([{ seq: 6 }]);
      expect(await faultIn(store, accountId)).toBeNull();
      await expect(run('DELETE FROM audit_entries')).rejects.toThrow();
    });

    it('has views that found no room once there is some, and reading goes on meanwhile', async () => {
      const { store, fillUp } = harness();
      const { id: accountId } = await madeAccount(store);
      const trail = createAuditTrail({ store, clock: { now: Date.now } });
      const see = (id: string) =>
        trail.viewed(recorderOf(accountId), 'submission.viewed', {
          ...{ kind: 'submission', id, name: 'x'.repeat(300) },
        });
      // More than fits into the existing pages.
      const ids = Array.from({ length: 60 }, (_, index) => `${index}`);
      const makeRoom = await fillUp();
      for (const id of ids) await see(id);
      const many = Array.from({ length: 1_001 }, (_, index) => see(`too many ${index}`));
      await expect(Promise.all(many)).rejects.toBeInstanceOf(StoreFull);
      await Promise.allSettled(many);
      await makeRoom();
      await see('afterwards');
      const seen = (await entriesOf(store, accountId)).map(({ objectId }) => objectId).toReversed();
      expect(seen).toEqual([...ids, 'afterwards']);
      expect(await faultIn(store, accountId)).toBeNull();
    });

    it('is found broken with another secret', async () => {
      const { store, another } = harness();
      const { id: accountId } = await madeAccount(store);
      await note(store, recorderOf(accountId));
      const other = await another({ sealedWith: 'another' });
      expect(await faultIn(other, accountId)).toBeTruthy();
      await other.close();
    });
  });
}

/** An attacker with full access removes the triggers first. */
async function withoutTriggers(run: (statement: string) => Promise<readonly unknown[]>): Promise<void> {
  for (const [name, table] of [
    ['audit_entries_stay', 'audit_entries'],
    ['audit_entries_go_in_order', 'audit_entries'],
    ['audit_chains_stay', 'audit_chains'],
  ])
    await run(`DROP TRIGGER ${name}`).catch(() => run(`DROP TRIGGER ${name} ON ${table}`));
}
