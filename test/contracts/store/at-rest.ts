import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { noFilter } from '../../../src/model/submission.js';
import { fresh, type MakeHarness } from './harness.js';
import { aKey, anEntry, aProject, made, madeAccount, madePlace, nextInstant } from './samples.js';

const secrets = {
  webhookSecret: 'plain-webhook-secret',
  previousSecret: 'plain-previous-secret',
  previousSecretUntil: 1,
};
const formSecrets = { captchaSecretKey: 'plain-captcha-secret', sandboxApiKey: 'plain-sandbox-key' };

export function atRestContract(make: MakeHarness): void {
  describe('secrets at rest', () => {
    const harness = fresh(make);

    it('lets nobody read a secret in a stolen copy', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const project = aProject(account.id, secrets);
      await store.projects.create(project);
      const place = await madePlace(store, { account, project, form: formSecrets });
      await store.projects.setSecrets(
        project.id,
        { ...secrets, webhookSecret: 'plain-rotated' },
        nextInstant(),
      );
      await store.forms.update(
        place.form.id,
        { ...place.form, sandboxApiKey: 'plain-changed' },
        nextInstant(),
      );
      await store.keys.create(aKey(account.id), 'a hash');
      const texts = await harness().storedTexts();
      // The texts do include where secrets would be.
      expect(texts).toContain(project.name);
      expect(texts).toContain(place.form.publicId);
      expect(texts.filter((text) => text.includes('plain-'))).toEqual([]);
      expect(await store.projects.find(wholeAccount(account.id), project.id)).toMatchObject({
        webhookSecret: 'plain-rotated',
        previousSecret: secrets.previousSecret,
      });
    });

    it('seals the same secret differently each time', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      for (let i = 0; i < 2; i += 1) await store.projects.create(aProject(account.id, secrets));
      const sealed = (await harness().storedTexts()).filter((text) => text.startsWith('v1.'));
      expect(sealed).toHaveLength(4);
      expect(new Set(sealed).size).toBe(4);
    });

    it('does not open what was sealed with another key', async () => {
      const { store } = harness();
      const { accountId, project, form } = await madePlace(store);
      const outsider = await harness().another({ sealedWith: 'another master secret' });
      try {
        await expect(outsider.projects.find(wholeAccount(accountId), project.id)).rejects.toThrow();
        await expect(outsider.forms.findForIntake(form.publicId)).rejects.toThrow();
      } finally {
        await outsider.close();
      }
    });
  });

  describe('backup', () => {
    const harness = fresh(make);

    it('is a whole store: everything that was committed before it began', async () => {
      const { store, backup } = harness();
      if (!backup) {
        await expect(store.backup('anywhere', () => {})).rejects.toThrow(/own tools/);
        return;
      }
      const place = await madePlace(store);
      const { submission, files } = await made(store, place, { files: 1, deliveries: 1 });
      const path = backup.path();
      const progress: [number, number][] = [];
      await store.backup(path, (done, total) => progress.push([done, total]));
      const copy = await backup.open(path);
      try {
        expect(await copy.submissions.find(wholeAccount(place.accountId), submission.id)).toEqual({
          ...submission,
          files,
          deliveryState: 'pending',
        });
        expect(await copy.projects.find(wholeAccount(place.accountId), place.project.id)).toEqual(
          place.project,
        );
        await made(copy, place);
        expect((await copy.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount).toBe(
          2,
        );
      } finally {
        await copy.close();
      }
      for (const [done, total] of progress) expect(done).toBeLessThanOrEqual(total);
    });

    it('ends, and is one moment of the store, while writes go on without pause', async () => {
      const { store, backup } = harness();
      if (!backup) return;
      const place = await madePlace(store);
      // Large enough that the copy takes many steps: 40 MB.
      const text = 'x'.repeat(100_000);
      for (let i = 0; i < 20; i += 1) {
        await store.commit(
          Array.from({ length: 20 }, () => anEntry(place, { data: JSON.stringify({ text }) })),
        );
      }
      const acknowledged: string[] = [];
      let writing = true;
      const writers = Array.from({ length: 4 }, async () => {
        while (writing) {
          const batch = [anEntry(place, { files: 1 }), anEntry(place, { files: 1 })];
          await store.commit(batch);
          acknowledged.push(...batch.map(({ submission }) => submission.id));
        }
      });
      while (acknowledged.length < 20) await store.check();
      const before = [...acknowledged];
      const path = backup.path();
      let lastDone = 0;
      let setBack = 0;
      try {
        await store.backup(path, (done) => {
          if (done < lastDone) {
            setBack += 1;
            writing = false;
          }
          lastDone = done;
        });
      } finally {
        writing = false;
        await Promise.all(writers);
      }
      // A copy that restarts after every write finishes only when the writers pause.
      expect(setBack).toBe(0);
      const total = 400 + acknowledged.length;
      const copy = await backup.open(path);
      try {
        const count =
          (await copy.forms.find(wholeAccount(place.accountId), place.form.id))?.submissionsCount ?? 0;
        const listed: string[] = [];
        for (let after: string | null = null, more = true; more; ) {
          const scope = { kind: 'form', formId: place.form.id } as const;
          const page = await copy.submissions.list(scope, noFilter, { limit: 100, after });
          listed.push(...page.items.map(({ id }) => id));
          // Submission, files and count are from the same moment.
          const torn = page.items.filter(({ data, files }) => files.length !== (data.length > 1000 ? 0 : 1));
          expect(torn).toEqual([]);
          after = page.next;
          more = after !== null;
        }
        expect(new Set(listed).size).toBe(count);
        expect(count).toBeGreaterThanOrEqual(400 + before.length);
        expect(count).toBeLessThanOrEqual(total);
        const missing = before.filter((id) => !listed.includes(id));
        expect(missing).toEqual([]);
        // Batches, of two each, are whole or absent.
        expect(count % 2).toBe(0);
      } finally {
        await copy.close();
      }
    });
  });
}
