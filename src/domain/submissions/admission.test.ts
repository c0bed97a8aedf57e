import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { anIntakeForm, aProject, someTime } from '../../../test/support/nouns.js';
import { onlyStore } from '../../../test/support/ports.js';
import { memoryCounters } from '../../adapters/counters/memory.js';
import { memorySignals } from '../../adapters/signals/memory.js';
import { Refusal } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import { createAdmissionDesk, readableOrigin, type Visit } from './admission.js';
import { type CompiledForm, createIntakeForms } from './intake-forms.js';

const address = '203.0.113.7';
const key = 'inlet_sandbox_0123456789';

/** A desk for the forms of one project, with the real counters and the real compilation of settings. */
function deskFor(
  forms: Record<string, Partial<Form>>,
  more: Partial<Project> = {},
  beforeRead: () => Promise<void> | undefined = () => undefined,
) {
  let now = someTime;
  const project = aProject(more);
  const clock = { now: () => now };
  const store = onlyStore({
    forms: {
      async findForIntake(publicId) {
        await beforeRead();
        const form = forms[publicId];
        return form ? { ...anIntakeForm({ form: { publicId, ...form } }), project } : null;
      },
    },
  });
  const desk = createAdmissionDesk({
    forms: createIntakeForms({
      store,
      clock,
      signals: memorySignals(),
      baseUrl: 'https://inlet.example.com',
    }),
    counters: memoryCounters(clock),
    now: clock.now,
    defaultRateLimitPerMinute: 60,
    instanceMark: 'mark-of-this-instance',
    visitorKey: Buffer.from('key'),
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { desk, pass };
}

const visit = (more: Partial<Visit> = {}): Visit => ({
  ip: address,
  origin: undefined,
  referer: undefined,
  serviceKey: undefined,
  userAgent: undefined,
  acceptLanguage: undefined,
  instance: undefined,
  ...more,
});

/** Returns the text of the refusal, or null when the visitor is admitted. */
async function judged(form: Partial<Form>, of: Partial<Visit>, project: Partial<Project> = {}) {
  const { refusal } = await deskFor({ form }, project).desk.admit('form', visit(of));
  return refusal === null ? null : refusal.message;
}

const notActive = 'Form is not active';
const blocked = 'IP address is blocked';
const badOrigin = 'Origin not allowed';
const localhost = 'Localhost not allowed in live mode. Use sandbox mode for local development.';
const notRegistered = 'IP not registered for sandbox mode. Register your IP in form settings.';
const badKey = 'Invalid service key';

describe('admit', () => {
  it('rejects a delivery of this instance that came back, also through a chain of other instances', async () => {
    for (const instance of ['mark-of-this-instance', 'of-another, mark-of-this-instance']) {
      const { desk } = deskFor({ form: { isActive: false } });
      expect((await desk.admit('form', visit({ instance }))).refusal).toMatchObject({
        kind: 'forbidden',
        reason: 'webhook_loop',
        code: 'webhook_loop',
      });
    }
    expect(await judged({}, { instance: 'of-another' })).toBeNull();
  });

  it('finds no form: 404, with a rate all the same', async () => {
    const { desk } = deskFor({});
    const { target, refusal, rate } = await desk.admit('nope', visit());
    expect(target).toBeNull();
    expect(refusal?.message).toBe('Form not found');
    expect(rate).toEqual({ limit: 60, count: 1, remaining: 59, resetsAt: someTime + 60_000 });
  });

  it('lets everyone in where nothing was set', async () => {
    expect(await judged({}, {})).toBeNull();
    expect(await judged({}, { origin: 'https://anywhere.test' })).toBeNull();
    expect(await judged({}, { origin: 'null' })).toBeNull();
  });

  describe('rate', () => {
    it('counts down to zero, refuses the next with the seconds that are left, and opens again', async () => {
      const { desk, pass } = deskFor({ form: {} }, { rateLimitPerMinute: 2 });
      const read = async () => {
        const { refusal, rate } = await desk.admit('form', visit());
        return [rate.remaining, refusal?.extra.retry_after];
      };
      expect(await read()).toEqual([1, undefined]);
      pass(10_001);
      expect(await read()).toEqual([0, undefined]);
      expect(await read()).toEqual([0, 50]);
      pass(49_998);
      expect(await read()).toEqual([0, 1]);
      pass(1);
      expect(await read()).toEqual([1, undefined]);
    });

    it('is shared by the forms of a project, and by nobody else', async () => {
      const { desk } = deskFor({ one: {}, two: {} }, { rateLimitPerMinute: 1 });
      expect((await desk.admit('one', visit())).refusal).toBeNull();
      expect((await desk.admit('two', visit())).refusal?.kind).toBe('rate_limited');
      expect((await desk.admit('two', visit({ ip: '203.0.113.8' }))).refusal).toBeNull();
    });

    it('counts an IPv6 visitor by /64: the rest of the address is free to choose', async () => {
      const { desk } = deskFor({ form: {} }, { rateLimitPerMinute: 1 });
      await desk.admit('form', visit({ ip: '2001:db8::1' }));
      expect((await desk.admit('form', visit({ ip: '2001:db8::2' }))).refusal?.kind).toBe('rate_limited');
      expect((await desk.admit('form', visit({ ip: '2001:db8:0:1::2' }))).refusal).toBeNull();
    });

    it('counts refused visits too, and asking for unknown forms costs no project its rate', async () => {
      const { desk } = deskFor({ form: { isActive: false } }, { rateLimitPerMinute: 1 });
      for (let hits = 0; hits < 5; hits += 1) await desk.admit('nope', visit());
      expect((await desk.admit('form', visit())).refusal?.message).toBe(notActive);
      expect((await desk.admit('form', visit())).refusal?.kind).toBe('rate_limited');
    });
  });

  it('asks in the order of the decisions: each fault is hidden by the ones before it', async () => {
    const wrong: Partial<Visit> = { origin: 'http://localhost:5173', serviceKey: 'wrong' };
    const all = {
      isActive: false,
      blockedIps: ['203.0.113.7'],
      allowedOrigins: ['example.com'],
      validationMode: 'live',
      sandboxApiKey: key,
    } as const;
    expect(await judged(all, wrong)).toBe(notActive);
    const active = { ...all, isActive: true };
    expect(await judged(active, wrong, { isActive: false })).toBe(notActive);
    expect(await judged(active, wrong)).toBe(blocked);
    expect(await judged({ ...active, blockedIps: [] }, wrong)).toBe(badOrigin);
    expect(await judged({ ...active, blockedIps: [], allowedOrigins: ['localhost'] }, wrong)).toBe(localhost);
    const sandbox = { ...active, blockedIps: [], allowedOrigins: [], validationMode: 'sandbox' } as const;
    expect(await judged(sandbox, wrong)).toBe(notRegistered);
    expect(await judged({ ...sandbox, sandboxIps: ['203.0.113.7'] }, wrong)).toBe(badKey);
    expect(
      await judged({ ...sandbox, sandboxIps: ['203.0.113.7'] }, { ...wrong, serviceKey: key }),
    ).toBeNull();
  });

  it.each([
    ['the origin itself', { origin: 'https://example.com' }, null],
    ['another scheme, port and case', { origin: 'http://EXAMPLE.com:8080' }, null],
    ['a subdomain of a wildcard', { origin: 'https://a.b.wild.test' }, null],
    ['the wildcard without subdomain', { origin: 'https://wild.test' }, badOrigin],
    ['another host', { origin: 'https://example.com.evil.test' }, badOrigin],
    ['a host that ends alike', { origin: 'https://notexample.com' }, badOrigin],
    ['an opaque origin', { origin: 'null' }, badOrigin],
    ['the Referer when there is no Origin', { referer: 'https://example.com/contact?x=1' }, null],
    ['a wrong Referer', { referer: 'https://evil.test/?https://example.com' }, badOrigin],
    [
      'a right Referer behind a wrong Origin',
      { origin: 'https://evil.test', referer: 'https://example.com/' },
      badOrigin,
    ],
    ['neither header', {}, badOrigin],
    ['neither header but the key', { serviceKey: key }, null],
    ['neither header and a wrong key', { serviceKey: `${key}x` }, badOrigin],
    ['a wrong origin with the key', { origin: 'https://evil.test', serviceKey: key }, badOrigin],
  ] as const)('with a list of origins, judges %s', async (_, of, expected) => {
    const form = { allowedOrigins: ['example.com', '*.wild.test'], sandboxApiKey: key };
    expect(await judged(form, of)).toBe(expected);
  });

  it.each([
    'http://localhost',
    'http://LOCALHOST:3000',
    'http://app.localhost',
    'http://127.8.8.8:80',
    'http://[::1]:3000',
  ])('sends %s away from a live form, and lets it into a sandbox that knows the address', async (origin) => {
    expect(await judged({}, { origin })).toBe(localhost);
    expect(await judged({}, { referer: `${origin}/page` })).toBe(localhost);
    const sandbox = { validationMode: 'sandbox', sandboxIps: ['203.0.113.0/24'] } as const;
    expect(await judged(sandbox, { origin })).toBeNull();
  });

  it('tells a visitor of a sandbox which address to register', async () => {
    const { desk } = deskFor({ form: { validationMode: 'sandbox' } });
    const { refusal } = await desk.admit('form', visit({ ip: '2001:db8::7' }));
    expect(refusal?.extra).toEqual({ your_ip: '2001:db8::7' });
  });

  it('asks nobody for a service key, but refuses a wrong one', async () => {
    expect(await judged({ sandboxApiKey: key }, {})).toBeNull();
    expect(await judged({ sandboxApiKey: key }, { serviceKey: key })).toBeNull();
    expect(await judged({ sandboxApiKey: key }, { serviceKey: '' })).toBe(badKey);
    expect(await judged({ sandboxApiKey: null }, { serviceKey: key })).toBe(badKey);
  });
});

describe('find', () => {
  it('counts no form that exists', async () => {
    const { desk } = deskFor({ form: {} }, { rateLimitPerMinute: 5 });
    expect(await desk.find('form', address)).toMatchObject({ form: { publicId: 'form' } });
    expect(await desk.find('nope', address)).toMatchObject({ kind: 'not_found' });
    expect((await desk.admit('form', visit())).rate.remaining).toBe(4);
  });
});

describe('unknown ids', () => {
  const limit = 60;
  const statusOf = (found: CompiledForm | Refusal) => (found instanceof Refusal ? found.kind : 'found');

  it('are limited by address, however they are asked for; forms that exist are not', async () => {
    const { desk, pass } = deskFor({ form: {} });
    for (let i = 0; i < limit; i += 1) {
      const { refusal } = await desk.admit(`no${i}`, visit());
      expect(refusal?.kind).toBe('not_found');
    }
    const { refusal, rate } = await desk.admit('no', visit());
    expect(refusal?.message).toBe('Rate limit exceeded. Please try again later.');
    expect([refusal?.retryAfterSeconds, rate.limit, rate.remaining]).toEqual([60, limit, 0]);
    expect(statusOf(await desk.find('none', address))).toBe('rate_limited');
    expect(statusOf(await desk.find('none', '203.0.113.8'))).toBe('not_found');
    expect(statusOf(await desk.find('form', address))).toBe('found');
    expect((await desk.admit('form', visit())).refusal).toBeNull();
    pass(60_000);
    expect(statusOf(await desk.find('none', address))).toBe('not_found');
  });

  it('from an address over its limit are looked up one at a time, the forms that exist among them', async () => {
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const { desk } = deskFor({ form: {} }, {}, () => {
      if (!isSlow) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    });
    for (let i = 0; i <= limit; i += 1) await desk.find(`no${i}`, address);
    isSlow = true;
    const others = desk.find('elsewhere', '198.51.100.1');
    const guesses = [...Array.from({ length: 20 }, (_, i) => `more${i}`), 'form'];
    const found = Promise.all(guesses.map((id) => desk.find(id, address)));
    await nextTurn();
    expect(waiting).toHaveLength(2);
    const left = [...Array(22)];
    for (const _ of left) {
      waiting.shift()?.();
      await nextTurn();
      expect(waiting.length).toBeLessThanOrEqual(1);
    }
    expect(statusOf(await others)).toBe('not_found');
    const kinds = (await found).map(statusOf);
    expect([new Set(kinds.slice(0, -1)), kinds.at(-1)]).toEqual([new Set(['rate_limited']), 'found']);
  });

  it('from one address, however many at once, keep no other address over its limit from its form', async () => {
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const { desk } = deskFor({ form: {} }, {}, () => {
      if (!isSlow) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    });
    const other = '198.51.100.1';
    for (const ip of [address, other]) {
      for (let i = 0; i <= limit; i += 1) await desk.find(`no${i}`, ip);
    }
    isSlow = true;
    const guesses = Array.from({ length: 1_500 }, (_, i) => desk.find(`more${i}`, address));
    const [unknown, own] = [desk.find('elsewhere', other), desk.find('form', other)];
    // The guessing address does not delay the other one: each has its own lookup.
    for (let i = 0; i < 2; i += 1) {
      await nextTurn();
      expect(waiting).toHaveLength(2);
      waiting.pop()?.();
    }
    expect([statusOf(await unknown), statusOf(await own)]).toEqual(['rate_limited', 'found']);
    isSlow = false;
    waiting.shift()?.();
    expect(new Set((await Promise.all(guesses)).map(statusOf))).toEqual(new Set(['rate_limited']));
  });
});

describe('readableOrigin', () => {
  const targetWith = async (allowedOrigins: string[]) =>
    (await deskFor({ form: { allowedOrigins } }).desk.admit('form', visit())).target;

  it('is everyone where there is no list, and where there is no form', async () => {
    expect(readableOrigin(await targetWith([]), 'https://any.test')).toBe('*');
    expect(readableOrigin(await targetWith([]), undefined)).toBe('*');
    expect(readableOrigin(null, 'https://any.test')).toBe('*');
  });

  it('is the asking origin, to the letter, when it is on the list, and else nothing', async () => {
    const target = await targetWith(['example.com']);
    expect(readableOrigin(target, 'https://Example.com:8443')).toBe('https://Example.com:8443');
    for (const origin of ['https://evil.test', 'null', '', undefined]) {
      expect(readableOrigin(target, origin)).toBeNull();
    }
  });
});
