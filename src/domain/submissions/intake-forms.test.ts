import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { anIntakeForm, someTime } from '../../../test/support/nouns.js';
import { onlyStore } from '../../../test/support/ports.js';
import { memorySignals } from '../../adapters/signals/memory.js';
import { originMatches } from '../../kernel/hosts.js';
import type { IntakeForm } from '../../ports/store.js';
import { createIntakeForms } from './intake-forms.js';

type Answer = IntakeForm | null | Error;

/** The store responds when the test says so; `pass` moves the clock. */
function setUp() {
  let now = someTime;
  const reads: { id: string; answer: (answer: Answer) => void }[] = [];
  const signals = memorySignals();
  const store = onlyStore({
    forms: {
      findForIntake: (id) =>
        new Promise((resolve, reject) => {
          reads.push({
            id,
            answer: (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)),
          });
        }),
    },
  });
  const forms = createIntakeForms({
    store,
    clock: { now: () => now },
    signals,
    baseUrl: 'https://inlet.example.com',
  });
  /** Finds a form. If the store is queried, it responds at once. */
  const findWith = async (id: string, answer: Answer) => {
    const before = reads.length;
    const found = forms.find(id);
    if (reads.length > before) reads.at(-1)?.answer(answer);
    return found;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { forms, reads, signals, findWith, pass };
}

const named = (name: string) => anIntakeForm({ form: { name } });

describe('intake forms', () => {
  it('answers from memory for a second, and then asks again', async () => {
    const { forms, reads, findWith, pass } = setUp();
    expect((await findWith('abc', named('old')))?.form.name).toBe('old');
    pass(999);
    expect(await forms.find('abc')).toMatchObject({ form: { name: 'old' } });
    pass(1);
    expect((await findWith('abc', named('new')))?.form.name).toBe('new');
    expect(reads).toHaveLength(2);
  });

  it('remembers as well that there is no such form', async () => {
    const { forms, reads, findWith } = setUp();
    expect(await findWith('nope', null)).toBeNull();
    expect(await forms.find('nope')).toBeNull();
    expect(reads).toHaveLength(1);
  });

  it.each(['', ' ', 'a\0b', 'a\nb', 'a\u202eb', 'a\ud800b', 'x'.repeat(201)])(
    'does not ask the store for what can be no id and no alias: %j',
    async (id) => {
      const { forms, reads } = setUp();
      expect(await forms.find(id)).toBeNull();
      expect(reads).toHaveLength(0);
    },
  );

  it('takes all spellings of an address for one', async () => {
    const { forms, reads, findWith } = setUp();
    const [first, second] = [forms.find('Ada@Example.com'), forms.find('ada@example.COM')];
    expect(reads.map(({ id }) => id)).toEqual(['ada@example.com']);
    reads[0]?.answer(named('hers'));
    expect(await first).toBe(await second);
    expect(await findWith('ADA@EXAMPLE.COM', named('unasked'))).toBe(await first);
    expect(reads).toHaveLength(1);
    expect(await findWith('KEY', named('upper'))).not.toBe(await findWith('key', named('lower')));
    expect(reads).toHaveLength(3);
  });

  it('lets no spelling of an address push out another form', async () => {
    const { forms, reads, findWith } = setUp();
    await findWith('abc', named('here'));
    const letters = 'abcdefghijklmn';
    for (let bits = 0; bits < 2 ** letters.length; bits += 1) {
      const spelt = [...letters].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter));
      await findWith(`${spelt.join('')}@example.com`, named('address'));
    }
    expect(forms.recall('abc')).toMatchObject({ form: { name: 'here' } });
    expect(reads).toHaveLength(2);
  });

  it('asks once for all who want the same form at the same time', async () => {
    const { forms, reads } = setUp();
    const found = Promise.all([forms.find('abc'), forms.find('abc'), forms.find('other')]);
    expect(reads.map(({ id }) => id)).toEqual(['abc', 'other']);
    for (const { answer } of reads) answer(named('one'));
    const [first, second] = await found;
    expect(first).toBe(second);
  });

  it('drops what it knows when settings change', async () => {
    const { signals, findWith } = setUp();
    await findWith('abc', named('old'));
    signals.publish({ kind: 'intake-changed' });
    await nextTurn();
    expect((await findWith('abc', named('new')))?.form.name).toBe('new');
  });

  it('does not keep what was being read while settings changed, nor hand it to those who come after', async () => {
    const { forms, reads, signals, findWith } = setUp();
    const early = forms.find('abc');
    signals.publish({ kind: 'intake-changed' });
    await nextTurn();
    const late = forms.find('abc');
    expect(reads).toHaveLength(2);
    reads[1]?.answer(named('new'));
    expect((await late)?.form.name).toBe('new');
    reads[0]?.answer(named('old'));
    expect((await early)?.form.name).toBe('old');
    expect((await findWith('abc', named('unasked')))?.form.name).toBe('new');
  });

  it('passes a fault of the store on and asks again the next time', async () => {
    const { reads, findWith } = setUp();
    await expect(findWith('abc', new Error('down'))).rejects.toThrow('down');
    expect((await findWith('abc', named('up')))?.form.name).toBe('up');
    expect(reads).toHaveLength(2);
  });

  it('lets the own list of a form stand before the list of its project', async () => {
    const { findWith } = setUp();
    const origins = async (id: string, form: string[], project: string[]) => {
      const intake = anIntakeForm({ form: { allowedOrigins: form }, project: { allowedOrigins: project } });
      return (await findWith(id, intake))?.origins;
    };
    const own = await origins('own', ['a.test'], ['b.test']);
    expect(own && [originMatches(own, 'a.test'), originMatches(own, 'b.test')]).toEqual([true, false]);
    const inherited = await origins('inherited', [], ['b.test']);
    expect(inherited && originMatches(inherited, 'b.test')).toBe(true);
    expect(await origins('open', [], [])).toBeNull();
  });

  it('stays closed when no entry of a list makes sense', async () => {
    const { findWith } = setUp();
    const found = await findWith('abc', anIntakeForm({ form: { allowedOrigins: ['not a host'] } }));
    expect(found?.origins).not.toBeNull();
  });

  it('reads addresses and ranges', async () => {
    const { findWith } = setUp();
    const form = { blockedIps: ['203.0.113.0/24', 'nonsense'], sandboxIps: ['2001:db8::1'] };
    const found = await findWith('abc', anIntakeForm({ form }));
    expect(found?.blocked.has('203.0.113.9')).toBe(true);
    expect(found?.blocked.has('203.0.114.9')).toBe(false);
    expect(found?.registered.has('2001:db8::1')).toBe(true);
  });

  it('holds a bounded number of unknown ids, and these push out no form that exists', async () => {
    const { forms, reads, findWith } = setUp();
    await findWith('abc', named('here'));
    const ids = Array.from({ length: 1_001 }, (_, number) => `id${number}`);
    for (const id of ids) await findWith(id, null);
    const before = reads.length;
    expect(ids.filter((id) => forms.recall(id) === null)).toHaveLength(1);
    expect(await forms.find('abc')).toMatchObject({ form: { name: 'here' } });
    expect(reads).toHaveLength(before);
  });

  it('holds a bounded number of forms', async () => {
    const { forms, findWith } = setUp();
    const form = named('one of many');
    const ids = Array.from({ length: 10_001 }, (_, number) => `id${number}`);
    for (const id of ids) await findWith(id, form);
    expect(ids.filter((id) => forms.recall(id) !== undefined)).toHaveLength(1);
  });

  it('remembers what it saw last of an id', async () => {
    const { forms, findWith, pass } = setUp();
    for (const answer of [null, named('made'), null]) {
      await findWith('abc', answer);
      expect(forms.recall('abc') === null).toBe(answer === null);
      pass(1_000);
      expect(forms.recall('abc')).toBeUndefined();
    }
  });
});
