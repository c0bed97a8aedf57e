import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answered, fieldsOf, intakeWith, upgradeUrl } from '../../../test/support/intake.js';
import { aStagedFile, someTime } from '../../../test/support/nouns.js';
import { isUuid } from '../../kernel/ids.js';
import type { CaptchaCheck } from '../../ports/captcha.js';
import { StoreConflict, StoreFull, StoreUnavailable } from '../../ports/store.js';
import { BatcherFull } from './commit-batcher.js';

describe('accept', () => {
  it('commits submission, files and deliveries together and answers with what it stored', async () => {
    const { intake, arrival, rows, discarded, target } = intakeWith({
      form: { webhookUrl: 'https://hooks.test/' },
    });
    const file = aStagedFile({ fieldName: 'cv' });
    const outcome = await intake.accept(arrival({ files: [file] }));
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(outcome).toEqual({
      kind: 'accepted',
      submissionId: row?.submission.id,
      files: [{ id: file.id, filename: 'notes.txt', type: 'text/plain', size: 5 }],
      isHeld: false,
      isRepeated: false,
    });
    expect(row?.submission).toMatchObject({
      formId: target.form.id,
      projectId: target.project.id,
      data: '{"name":"Ada"}',
      createdAt: someTime,
    });
    expect(row?.files).toEqual([
      {
        ...file,
        accountId: target.accountId,
        projectId: target.project.id,
        formId: target.form.id,
        submissionId: row?.submission.id,
        uploadedAt: someTime,
        deletedAt: null,
      },
    ]);
    expect(row?.deliveries).toMatchObject([{ submissionId: row?.submission.id, url: 'https://hooks.test/' }]);
    expect(row?.idempotency).toBeNull();
    expect(discarded).toEqual([]);
  });

  it('answers only after the commit', async () => {
    let finish = (): void => {};
    const { intake, arrival } = intakeWith({
      commit: () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    let answer: unknown;
    const accepted = intake.accept(arrival()).then((outcome) => {
      answer = outcome;
    });
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    expect(answer).toBeUndefined();
    finish();
    await accepted;
    expect(answer).toMatchObject({ kind: 'accepted' });
  });

  it('wakes the delivery worker when there is something to deliver, and only then', async () => {
    const quiet = intakeWith();
    await quiet.intake.accept(quiet.arrival());
    const loud = intakeWith({ form: { webhookUrl: 'https://hooks.test/' } });
    await loud.intake.accept(loud.arrival());
    await nextTurn();
    expect([quiet.wakeUps(), loud.wakeUps()]).toEqual([0, 1]);
  });

  it.each([
    [
      'the Referer before the Origin',
      { referer: 'https://a.test/x', origin: 'https://a.test' },
      'https://a.test/x',
    ],
    ['the Origin without Referer', { referer: undefined, origin: 'https://a.test' }, 'https://a.test'],
    ['nothing as an empty text', { referer: undefined, origin: undefined }, ''],
  ])('notes where it was submitted from: %s', async (_, headers, submittedFrom) => {
    const { intake, arrival, rows } = intakeWith();
    const { visit } = arrival();
    await intake.accept(arrival({ visit: { ...visit, ...headers, userAgent: undefined } }));
    expect(rows[0]?.submission.metadata).toEqual({
      ip: '203.0.113.7',
      userAgent: '',
      submittedFrom,
      controlFields: null,
    });
  });
});

describe('honeypot', () => {
  it.each(['_gotcha', '_honeypot'])(
    'answers a filled %s like a success, puts it into quarantine and drops the files',
    async (name) => {
      const { intake, arrival, rows, held, target, discarded, wakeUps } = intakeWith({
        form: { webhookUrl: 'https://hooks.test/' },
      });
      const files = [aStagedFile(), aStagedFile()];
      const outcome = await intake.accept(arrival({ files, fields: fieldsOf('{}', { [name]: 'spam' }) }));
      expect(outcome).toEqual({
        kind: 'accepted',
        submissionId: expect.any(String),
        files: answered(files),
        isHeld: true,
        isRepeated: false,
      });
      expect(held).toEqual([
        {
          id: outcome.kind === 'accepted' && outcome.submissionId,
          formId: target.form.id,
          projectId: target.project.id,
          data: '{}',
          metadata: {
            ip: '203.0.113.7',
            userAgent: 'Browser',
            submittedFrom: 'https://example.com/contact',
            controlFields: null,
          },
          field: name,
          filesDropped: 2,
          createdAt: someTime,
        },
      ]);
      expect(outcome.kind === 'accepted' && isUuid(outcome.submissionId)).toBe(true);
      expect(rows).toEqual([]);
      expect(discarded).toEqual(files.map(({ id }) => id));
      await nextTurn();
      expect(wakeUps()).toBe(0);
    },
  );

  it('comes before the plan and the CAPTCHA: a bot learns nothing from either', async () => {
    const { intake, arrival } = intakeWith({ form: { captchaEnabled: true } });
    const fields = fieldsOf('{}', { _gotcha: 'spam' });
    expect(await intake.accept(arrival({ fields, files: [null] }))).toMatchObject({
      kind: 'accepted',
    });
  });

  it('gives every hit a new id', async () => {
    const { intake, arrival, held } = intakeWith();
    const spam = arrival({ fields: fieldsOf('{}', { _gotcha: 'spam' }) });
    const [one, two] = [await intake.accept(spam), await intake.accept(spam)];
    expect(one).not.toEqual(two);
    expect(held).toHaveLength(2);
  });

  it('holds to a key as a success does: the same again for the same, a conflict for something else', async () => {
    const { intake, arrival, rows, held } = intakeWith();
    const sent = (json: string, reserved = {}) =>
      intake.accept(arrival({ fields: fieldsOf(json, reserved), idempotencyKey: 'k' }));
    const first = await sent('{"a":1}', { _gotcha: 'spam' });
    expect(await sent('{"a":1}', { _gotcha: 'spam' })).toEqual({ ...first, isRepeated: true });
    expect(await sent('{"a":2}', { _gotcha: 'spam' })).toMatchObject({ refusal: { kind: 'conflict' } });
    expect(held).toHaveLength(1);
    // A person who sends the same without the honeypot must not get a success: nothing was stored for them.
    expect(await sent('{"a":1}')).toMatchObject({ refusal: { kind: 'conflict' } });
    expect(rows).toEqual([]);
  });

  it.each([
    ['too many wait', () => new BatcherFull('full'), 'unavailable'],
    ['the form is gone', () => new StoreConflict('reference'), 'not_found'],
  ] as const)('is refused like all others when %s', async (_, fault, kind) => {
    const { intake, arrival, discarded } = intakeWith({ commit: () => Promise.reject(fault()) });
    const file = aStagedFile();
    const spam = arrival({ files: [file], fields: fieldsOf('{}', { _gotcha: 'spam' }) });
    expect(await intake.accept(spam)).toMatchObject({ kind: 'refused', refusal: { kind } });
    expect(discarded).toEqual([file.id]);
  });
});

describe('refusals leave no row and no file', () => {
  it('files on a plan without uploads: 402 with the way to upgrade', async () => {
    const { intake, arrival, rows } = intakeWith();
    expect(await intake.accept(arrival({ files: [null] }))).toMatchObject({
      kind: 'refused',
      refusal: { kind: 'payment_required', extra: { upgrade_url: upgradeUrl } },
    });
    expect(rows).toEqual([]);
  });

  it.each([
    ['failed', 'forbidden', 'CAPTCHA verification failed'],
    ['unavailable', 'unavailable', 'CAPTCHA verification is not available. Please try again later.'],
  ] as const)('a CAPTCHA that is %s', async (verdict, kind, message) => {
    const { intake, arrival, rows, discarded } = intakeWith({
      form: { captchaEnabled: true },
      captcha: async () => verdict,
    });
    const file = aStagedFile();
    const fields = fieldsOf('{}', { altcha: 'token' });
    const outcome = await intake.accept(arrival({ fields, files: [file] }));
    expect(outcome).toMatchObject({ kind: 'refused', refusal: { kind, message } });
    expect(rows).toEqual([]);
    expect(discarded).toEqual([file.id]);
  });

  it('a CAPTCHA without token, without asking anybody', async () => {
    const { intake, arrival } = intakeWith({ form: { captchaEnabled: true } });
    expect(await intake.accept(arrival())).toMatchObject({
      refusal: { message: 'CAPTCHA verification failed' },
    });
  });

  it('when the disk is full, and passes the error on', async () => {
    const fault = new StoreFull('full');
    const { intake, arrival, discarded } = intakeWith({ commit: () => Promise.reject(fault) });
    const file = aStagedFile();
    await expect(intake.accept(arrival({ files: [file] }))).rejects.toBe(fault);
    expect(discarded).toEqual([file.id]);
  });

  it.each([
    ['the form is gone', () => new StoreConflict('reference'), 'not_found'],
    ['too many wait', () => new BatcherFull('full'), 'unavailable'],
  ] as const)('when %s', async (_, fault, kind) => {
    const { intake, arrival, discarded, wakeUps } = intakeWith({ commit: () => Promise.reject(fault()) });
    const file = aStagedFile();
    expect(await intake.accept(arrival({ files: [file] }))).toMatchObject({
      kind: 'refused',
      refusal: { kind },
    });
    expect(discarded).toEqual([file.id]);
    await nextTurn();
    expect(wakeUps()).toBe(0);
  });
});

describe('CAPTCHA', () => {
  it('is asked with the token under any of its names, the visitor and the settings of the form', async () => {
    const asked: CaptchaCheck[] = [];
    const form = {
      captchaEnabled: true,
      captchaProvider: 'turnstile',
      captchaSiteKey: 'site',
      captchaSecretKey: 'sitesecret',
    } as const;
    const { intake, arrival, rows, target } = intakeWith({
      form,
      captcha: async (check) => {
        asked.push(check);
        return 'passed';
      },
    });
    for (const name of ['challenge-response', '_challengeToken', 'cf-turnstile-response']) {
      const outcome = await intake.accept(
        arrival({ fields: fieldsOf('{}', { [name]: `token of ${name}` }) }),
      );
      expect(outcome.kind).toBe('accepted');
      expect(asked.at(-1)).toEqual({
        provider: 'turnstile',
        siteKey: 'site',
        secretKey: 'sitesecret',
        token: `token of ${name}`,
        remoteIp: '203.0.113.7',
        formId: target.form.id,
      });
    }
    expect(rows).toHaveLength(3);
  });

  it('that cannot be judged because the store is broken leaves no file', async () => {
    const { intake, arrival, rows, discarded } = intakeWith({
      form: { captchaEnabled: true },
      captcha: async () => {
        throw new Error('the store is gone');
      },
    });
    const file = aStagedFile();
    const sent = arrival({ fields: fieldsOf('{}', { altcha: 'token' }), files: [file] });
    await expect(intake.accept(sent)).rejects.toThrow('the store is gone');
    expect([rows, discarded]).toEqual([[], [file.id]]);
  });

  it('is not asked where the form does not want it', async () => {
    const { intake, arrival } = intakeWith();
    const fields = fieldsOf('{}', { altcha: 'token' });
    expect(await intake.accept(arrival({ fields }))).toMatchObject({ kind: 'accepted' });
  });
});

describe('a fault that leaves open whether the entry was written', () => {
  it.each([new StoreUnavailable('gone'), new Error('surprise')])(
    '%s is thrown, and the files stay',
    async (fault) => {
      const { intake, arrival, discarded } = intakeWith({ commit: () => Promise.reject(fault) });
      await expect(intake.accept(arrival({ files: [aStagedFile()], idempotencyKey: 'k' }))).rejects.toBe(
        fault,
      );
      expect(discarded).toEqual([]);
    },
  );
});
