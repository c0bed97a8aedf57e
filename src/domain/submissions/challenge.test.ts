import { describe, expect, it } from 'vitest';
import { aCompiledForm } from '../../../test/support/nouns.js';
import { only } from '../../../test/support/ports.js';
import type { Refusal } from '../../model/errors.js';
import type { Counters } from '../../ports/counters.js';
import { createChallengeDesk } from './challenge.js';

const visit = {
  ip: '203.0.113.7',
  origin: undefined,
  referer: undefined,
  serviceKey: undefined,
  userAgent: undefined,
  acceptLanguage: undefined,
  instance: undefined,
};

describe('a crowd that wants challenges', () => {
  it('is asked to retry instead of queueing up, and is served afterwards', async () => {
    const finish: (() => void)[] = [];
    const target = aCompiledForm({ form: { captchaEnabled: true, captchaProvider: 'altcha' } });
    const desk = createChallengeDesk({
      desk: { find: async () => target },
      counters: only<Counters>({ hit: () => ({ count: 1, resetsAt: 1 }) }),
      maker: { challenge: () => new Promise((resolve) => finish.push(() => resolve('{}'))) },
      now: () => 0,
    });
    const crowd = Array.from({ length: 64 }, () => desk.issue('f', visit));
    const refused = (await desk.issue('f', visit)).result as Refusal;
    expect([refused.kind, refused.retryAfterSeconds]).toEqual(['unavailable', 5]);
    for (const one of finish.splice(0)) one();
    expect(new Set((await Promise.all(crowd)).map(({ result }) => result))).toEqual(new Set(['{}']));
    const next = desk.issue('f', visit);
    while (finish.length === 0) await Promise.resolve();
    finish[0]?.();
    expect((await next).result).toBe('{}');
  });
});
