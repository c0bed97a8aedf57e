import { describe, expect, it } from 'vitest';
import { answered, fieldsOf, intakeWith } from '../../../test/support/intake.js';
import { aForm, aStagedFile } from '../../../test/support/nouns.js';
import type { StagedFile } from '../files/staging.js';
import type { Received } from './intake.js';

const day = 24 * 60 * 60 * 1000;

describe('idempotency', () => {
  const sent = (more: Partial<StagedFile> = {}) => aStagedFile({ sha256: 'cd'.repeat(32), ...more });

  it('answers a repeated request with the first result, stores nothing and drops the second files', async () => {
    const { intake, arrival, rows, discarded } = intakeWith();
    const [one, two] = [sent(), sent()];
    const first = await intake.accept(arrival({ files: [one], idempotencyKey: 'k' }));
    const second = await intake.accept(arrival({ files: [two], idempotencyKey: 'k' }));
    expect(second).toEqual({ ...first, isRepeated: true });
    expect(second).toMatchObject({ files: answered([one]) });
    expect(rows).toHaveLength(1);
    expect(discarded).toEqual([two.id]);
  });

  it.each([
    ['another field', { fields: fieldsOf('{"name":"Eve"}') }],
    ['another file', { files: [sent({ sha256: 'ef'.repeat(32) })] }],
    ['another file name', { files: [sent({ filename: 'other.txt' })] }],
    ['another field of the file', { files: [sent({ fieldName: 'other' })] }],
    ['no file', { files: [] }],
    ['one file more', { files: [sent(), sent()] }],
  ])('is a conflict with %s, and what came is dropped', async (_, other) => {
    const { intake, arrival, rows, discarded } = intakeWith();
    await intake.accept(arrival({ files: [sent()], idempotencyKey: 'k' }));
    const more: Partial<Received> = { files: [sent()], idempotencyKey: 'k', ...other };
    expect(await intake.accept(arrival(more))).toMatchObject({
      kind: 'refused',
      refusal: { kind: 'conflict' },
    });
    expect(rows).toHaveLength(1);
    expect(discarded).toEqual(more.files?.map((file) => file?.id));
  });

  it('keeps keys of different forms apart', async () => {
    const { intake, arrival, rows, target } = intakeWith();
    await intake.accept(arrival({ idempotencyKey: 'k' }));
    const elsewhere = { ...target, form: aForm({ projectId: target.project.id }) };
    await intake.accept(arrival({ target: elsewhere, fields: fieldsOf('{"x":1}'), idempotencyKey: 'k' }));
    expect(rows).toHaveLength(2);
  });

  it('stores requests without a key as often as they come', async () => {
    const { intake, arrival, rows } = intakeWith();
    await intake.accept(arrival());
    await intake.accept(arrival());
    expect(rows).toHaveLength(2);
  });

  it('holds for a day: then the same key is a new request', async () => {
    const { intake, arrival, rows, pass } = intakeWith();
    const first = await intake.accept(arrival({ idempotencyKey: 'k' }));
    pass(day - 1);
    expect(await intake.accept(arrival({ idempotencyKey: 'k' }))).toEqual({ ...first, isRepeated: true });
    pass(1);
    expect(await intake.accept(arrival({ idempotencyKey: 'k' }))).not.toEqual(first);
    expect(rows).toHaveLength(2);
  });

  it('answers before the CAPTCHA: a token is good once, and who repeats a request repeats it', async () => {
    const spent = new Set<string>();
    const { intake, arrival } = intakeWith({
      form: { captchaEnabled: true },
      captcha: async ({ token }) => {
        const verdict = spent.has(token) ? 'failed' : 'passed';
        spent.add(token);
        return verdict;
      },
    });
    const request = arrival({ fields: fieldsOf('{}', { altcha: 'token' }), idempotencyKey: 'k' });
    const first = await intake.accept(request);
    expect(first.kind).toBe('accepted');
    expect(await intake.accept(request)).toEqual({ ...first, isRepeated: true });
  });

  it('gives the loser of a race the response of the winner and drops its files', async () => {
    const { intake, arrival, rows, discarded } = intakeWith();
    const files = [sent(), sent(), sent()];
    const outcomes = await Promise.all(
      files.map((file) => intake.accept(arrival({ files: [file], idempotencyKey: 'k' }))),
    );
    expect(rows).toHaveLength(1);
    const winner = rows[0]?.files[0]?.id;
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        kind: 'accepted',
        submissionId: rows[0]?.submission.id,
        files: [{ id: winner }],
      });
    }
    expect(discarded.sort()).toEqual(
      files
        .map(({ id }) => id)
        .filter((id) => id !== winner)
        .sort(),
    );
  });

  it('gives the loser of a race a conflict when it sent something else', async () => {
    const { intake, arrival, rows } = intakeWith();
    const outcomes = await Promise.all(
      ['{"a":1}', '{"a":2}'].map((json) =>
        intake.accept(arrival({ fields: fieldsOf(json), idempotencyKey: 'k' })),
      ),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['accepted', 'refused']);
    expect(rows).toHaveLength(1);
  });

  it('stores one of two requests that come with the same expired key', async () => {
    const { intake, arrival, rows, pass } = intakeWith();
    await intake.accept(arrival({ idempotencyKey: 'k' }));
    pass(day);
    const [first, second] = await Promise.all(
      [1, 2].map(() => intake.accept(arrival({ idempotencyKey: 'k' }))),
    );
    expect(second).toEqual({ ...first, isRepeated: true });
    expect(rows).toHaveLength(2);
  });

  it('lets nobody else pay for two requests with one key: they never share a batch', async () => {
    const batches: number[] = [];
    const { intake, arrival } = intakeWith({
      async commit(entries) {
        batches.push(entries.filter(({ idempotency }) => idempotency !== null).length);
      },
    });
    await Promise.all([
      intake.accept(arrival({ idempotencyKey: 'k' })),
      intake.accept(arrival({ idempotencyKey: 'k' })),
      intake.accept(arrival({})),
    ]);
    expect(Math.max(...batches)).toBe(1);
  });
});
