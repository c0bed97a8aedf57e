import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Signal } from '../../ports/signals.js';
import { createGathering, readMessage, writeMessage } from './message.js';

const received = (submissionId: string): Signal => ({
  kind: 'submission-received',
  accountId: 'account',
  projectId: 'project',
  formId: 'form',
  submissionId,
  createdAt: 1_700_000_000_000,
});

function gather(signals: readonly Signal[], maxMessageBytes = 7_900): Signal[] {
  const gathering = createGathering(maxMessageBytes);
  for (const signal of signals) gathering.add(signal);
  return gathering.take();
}

describe('what is gathered for one message', () => {
  it('says each thing once', () => {
    const twice: Signal[] = [
      { kind: 'intake-changed' },
      { kind: 'deliveries-ready', lanes: ['https://a.example 1', 'https://b.example 2'] },
      { kind: 'deliveries-ready', lanes: ['https://b.example 2', 'https://c.example 3'] },
      { kind: 'files-changed' },
      { kind: 'delivery-changed', submissionId: 'one' },
      { kind: 'delivery-changed', submissionId: 'two' },
    ];
    expect(gather([...twice, ...twice])).toEqual([
      { kind: 'intake-changed' },
      { kind: 'files-changed' },
      {
        kind: 'deliveries-ready',
        lanes: ['https://a.example 1', 'https://b.example 2', 'https://c.example 3'],
      },
      { kind: 'delivery-changed', submissionId: 'one' },
      { kind: 'delivery-changed', submissionId: 'two' },
    ]);
  });

  it('tells every submission', () => {
    expect(gather([received('one'), received('two')])).toEqual([received('one'), received('two')]);
  });

  it('names no lane once it is not known which', () => {
    const any: Signal = { kind: 'deliveries-ready', lanes: [] };
    const one: Signal = { kind: 'deliveries-ready', lanes: ['https://a.example 1'] };
    expect(gather([one, any, one])).toEqual([any]);
  });

  it('names no lane when there are too many, and leaves out submissions', () => {
    const lanes = Array.from({ length: 500 }, (_, i) => `https://host-${i}.example ${i}`);
    const many = Array.from({ length: 500 }, (_, i) => received(`submission ${i}`));
    const [deliveries, ...others] = gather([{ kind: 'deliveries-ready', lanes }, ...many]);
    expect(deliveries).toEqual({ kind: 'deliveries-ready', lanes: [] });
    expect(others.length).toBeGreaterThan(10);
    expect(others).toEqual(many.slice(0, others.length));
  });

  it('forgets what was taken', () => {
    const gathering = createGathering(7_900);
    gathering.add(received('one'));
    gathering.add({ kind: 'deliveries-ready', lanes: [] });
    gathering.take();
    gathering.add({ kind: 'deliveries-ready', lanes: ['https://a.example 1'] });
    expect(gathering.take()).toEqual([{ kind: 'deliveries-ready', lanes: ['https://a.example 1'] }]);
    expect(gathering.take()).toEqual([]);
  });

  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const anySignal: fc.Arbitrary<Signal> = fc.oneof(
    fc.constantFrom<Signal>({ kind: 'intake-changed' }, { kind: 'files-changed' }),
    fc.record({ kind: fc.constant('deliveries-ready' as const), lanes: fc.array(text) }),
    fc.record({ kind: fc.constant('delivery-changed' as const), submissionId: text }),
    fc.record({
      kind: fc.constant('submissions-changed' as const),
      accountId: text,
      projectId: text,
      formId: text,
      submissionIds: fc.array(text, { maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constant('audit-recorded' as const),
      accountId: text,
      seq: fc.nat(),
      action: text,
    }),
    fc.record({
      kind: fc.constant('submission-received' as const),
      accountId: text,
      projectId: text,
      formId: text,
      submissionId: text,
      createdAt: fc.nat(),
    }),
  );

  it('always fits into a message, and says nothing that was not said', () => {
    fc.assert(
      fc.property(
        fc.array(anySignal, { maxLength: 80 }),
        fc.integer({ min: 600, max: 8_000 }),
        (signals, max) => {
          const gathered = gather(signals, max);
          const wire = writeMessage('00000000-0000-0000-0000-000000000000', gathered);
          expect(Buffer.byteLength(wire)).toBeLessThanOrEqual(max);
          const kinds = (list: readonly Signal[]) => new Set(list.map(({ kind }) => kind));
          const withLanes = ['intake-changed', 'files-changed', 'deliveries-ready'] as const;
          for (const kind of withLanes) expect(kinds(gathered).has(kind)).toBe(kinds(signals).has(kind));
          // Compared after a round trip, because lone surrogates are the one thing that UTF-8 cannot carry.
          expect(readMessage(wire)).toEqual(JSON.parse(wire).signals);
        },
      ),
    );
  });
});

describe('what comes over the wire', () => {
  const changed: Signal = {
    ...{ kind: 'submissions-changed', accountId: 'a', projectId: 'p', formId: 'f', submissionIds: ['one'] },
  };

  it('is read as far as it makes sense', () => {
    const wire = JSON.stringify({
      from: 'another',
      more: 'unknown',
      signals: [
        { kind: 'intake-changed', more: 'unknown' },
        { kind: 'something-new' },
        { kind: 'toString' },
        { kind: 'deliveries-ready', lanes: [1] },
        { kind: 'deliveries-ready', lanes: ['https://a.example 1'] },
        { kind: 'delivery-changed' },
        { kind: 'delivery-changed', submissionId: 'one' },
        { ...received('two'), createdAt: 'yesterday' },
        { ...received('two'), formId: null },
        received('two'),
        { ...changed, submissionIds: 'one' },
        { ...changed, submissionIds: [1] },
        { ...changed, formId: null },
        changed,
        null,
        'junk',
      ],
    });
    expect(readMessage(wire)).toEqual([
      { kind: 'intake-changed' },
      { kind: 'deliveries-ready', lanes: ['https://a.example 1'] },
      { kind: 'delivery-changed', submissionId: 'one' },
      received('two'),
      changed,
    ]);
  });

  it('is ignored when it is junk', () => {
    for (const junk of ['', 'hello', '{', 'null', '7', '[]', '{}', '{"from":7}', '"from"'])
      expect(readMessage(junk)).toEqual([]);
    fc.assert(
      fc.property(fc.string(), (junk) => {
        expect(readMessage(junk)).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.json(), (junk) => {
        expect(() => readMessage(junk)).not.toThrow();
      }),
    );
  });
});
