import { describe, expect, it } from 'vitest';
import { seeded } from '../../../test/support/seeded.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { type Mail, mailDelaysMs } from '../../model/mail.js';
import type { MailMessage, MailOutcome } from '../../ports/mailer.js';
import { createMailDispatcher } from './dispatcher.js';

const leaseMs = 100_000;
const sent: MailOutcome = { kind: 'sent' };
const busy: MailOutcome = { kind: 'refused', permanent: false, detail: '451 later' };
const unknownUser: MailOutcome = { kind: 'refused', permanent: true, detail: '550 no such user' };

interface Row {
  mail: Mail;
  token: string | null;
}

const aMail = (id: string, nextAttemptAt = 0): Mail => ({
  id,
  submissionId: `submission of ${id}`,
  formId: 'form',
  recipient: 'ada@example.com',
  state: 'pending',
  attempt: 0,
  nextAttemptAt,
  error: null,
  createdAt: 0,
});

/** A dispatcher over rows in memory; `server` says how each message goes. */
function scene(
  mails: readonly Mail[],
  server: (message: MailMessage, time: VirtualTime) => Promise<MailOutcome>,
) {
  const time = new VirtualTime(seeded(7));
  const rows = new Map<string, Row>(mails.map((mail) => [mail.id, { mail, token: null }]));
  const faults: unknown[] = [];
  const ended: string[] = [];
  let isStoreDown = false;
  let underWay = 0;
  let most = 0;
  let tokens = 0;
  const waiting = (): Row[] =>
    [...rows.values()]
      .filter(({ mail }) => mail.state === 'pending')
      .sort((a, b) => (a.mail.nextAttemptAt ?? 0) - (b.mail.nextAttemptAt ?? 0));
  const check = (): void => {
    if (isStoreDown) throw new Error('store down');
  };
  let cutOff = (): void => {};
  const cut = new Promise<MailOutcome>((resolve) => {
    // As a mailer does: the mail was not sent, and may be tried again.
    cutOff = () => resolve(busy);
  });
  const dispatcher = createMailDispatcher({
    store: {
      mails: {
        listBySubmission: async () => [],
        subject: async () => null,
        recover: async () => 0,
        pullBack: async () => {},
        async claim(limit, { token, until }, now) {
          check();
          const due = waiting().filter(({ mail }) => (mail.nextAttemptAt ?? 0) <= now);
          const taken = due.slice(0, limit).map((row) => {
            const { mail } = row;
            Object.assign(row, { token, mail: { ...mail, nextAttemptAt: until } });
            return mail;
          });
          return taken;
        },
        async record(mail, token) {
          check();
          const row = rows.get(mail.id);
          if (row?.token !== token) return false;
          Object.assign(row, { mail, token: null });
          return true;
        },
        async nextDueAt() {
          check();
          return waiting()[0]?.mail.nextAttemptAt ?? null;
        },
      },
    },
    mailer: {
      async send(message) {
        underWay += 1;
        most = Math.max(most, underWay);
        try {
          return await Promise.race([server(message, time), cut]);
        } finally {
          underWay -= 1;
        }
      },
      check: async () => {},
      cutOff: () => cutOff(),
      close: async () => {},
    },
    compose: async ({ id, recipient }) =>
      id.startsWith('deleted')
        ? null
        : { id, to: recipient, replyTo: null, subject: 's', text: 't', html: 'h' },
    clock: { now: () => time.now },
    timers: time,
    random: () => 0,
    owner: 'me',
    newToken: () => {
      tokens += 1;
      return `token ${tokens}`;
    },
    atOnce: 2,
    leaseMs,
    observer: {
      ended: (_, outcome) => void ended.push(outcome.kind),
      failed: (error) => void faults.push(error),
    },
  });
  return {
    time,
    rows,
    dispatcher,
    faults,
    ended,
    most: () => most,
    mail: (id: string) => rows.get(id)?.mail,
    storeDown: (isDown: boolean) => {
      isStoreDown = isDown;
    },
    run: (until: number) => time.run(until, () => false),
  };
}

const pause = (time: VirtualTime, ms: number): Promise<void> =>
  new Promise((resolve) => {
    time.after(ms, resolve);
  });

describe('the mail dispatcher', () => {
  it('sends what waits, at most so many at once', async () => {
    const mails = Array.from({ length: 9 }, (_, i) => aMail(`m${i}`));
    const { dispatcher, run, rows, most } = scene(mails, async (_, time) => {
      await pause(time, 300);
      return sent;
    });
    dispatcher.start();
    await run(5_000);
    expect([...rows.values()].map(({ mail }) => mail.state)).toEqual(mails.map(() => 'sent'));
    expect(most()).toBe(2);
  });

  it('tries again by its schedule while the server is down, and gives up after the last', async () => {
    const tries: number[] = [];
    const { dispatcher, run, mail } = scene([aMail('m')], async (_, time) => {
      tries.push(time.now);
      return busy;
    });
    dispatcher.start();
    await run(3 * 86_400_000);
    expect(tries.slice(1).map((at, i) => at - (tries[i] ?? 0))).toEqual(mailDelaysMs);
    expect(mail('m')).toMatchObject({ state: 'failed', attempt: 8, nextAttemptAt: null, error: '451 later' });
  });

  it('loses nothing over an outage', async () => {
    const { dispatcher, run, mail } = scene([aMail('m')], async (_, time) =>
      time.now < 600_000 ? busy : sent,
    );
    dispatcher.start();
    await run(86_400_000);
    expect(mail('m')).toMatchObject({ state: 'sent', attempt: 4, error: null });
  });

  it('does not try again what is refused for good', async () => {
    const { dispatcher, run, mail, ended } = scene([aMail('m')], async () => unknownUser);
    dispatcher.start();
    await run(86_400_000);
    expect(mail('m')).toMatchObject({ state: 'failed', attempt: 1, error: '550 no such user' });
    expect(ended).toEqual(['refused']);
  });

  it('cancels what is about something that is deleted', async () => {
    const { dispatcher, run, mail, ended } = scene([aMail('deleted')], async () => sent);
    dispatcher.start();
    await run(10_000);
    expect(mail('deleted')).toMatchObject({ state: 'failed', error: 'The submission was deleted' });
    expect(ended).toEqual(['cancelled']);
  });

  it('sends at once what it is woken for, and finds by itself what it is not', async () => {
    const sentAt = new Map<string, number>();
    const { dispatcher, run, rows, time } = scene([], async ({ id }, { now }) => {
      sentAt.set(id, now);
      return sent;
    });
    dispatcher.start();
    time.after(1_000, () => {
      rows.set('woken', { mail: aMail('woken', 1_000), token: null });
      dispatcher.wake();
    });
    time.after(20_500, () => rows.set('found', { mail: aMail('found', 20_500), token: null }));
    await run(60_000);
    expect(sentAt.get('woken')).toBe(1_000);
    expect((sentAt.get('found') ?? 0) - 20_500).toBeLessThanOrEqual(5_000);
  });

  it('goes on after a fault of the store, and sends again what could not be recorded', async () => {
    const tries: number[] = [];
    const it = scene([aMail('m')], async (_, { now }) => {
      tries.push(now);
      if (tries.length === 1) it.storeDown(true);
      return sent;
    });
    it.time.after(30_000, () => it.storeDown(false));
    it.dispatcher.start();
    await it.run(10 * 60_000);
    expect(it.mail('m')?.state).toBe('sent');
    expect(it.faults.length).toBeGreaterThan(0);
    // Not before its lease has ended: somebody may still have been at it.
    expect(tries).toHaveLength(2);
    expect(tries[1]).toBeGreaterThanOrEqual(leaseMs);
  });

  it('survives a composer or a mailer that throws', async () => {
    let isFirst = true;
    const it = scene([aMail('m')], async () => {
      if (!isFirst) return sent;
      isFirst = false;
      throw new Error('a surprise');
    });
    it.dispatcher.start();
    await it.run(10 * 60_000);
    expect(it.mail('m')).toMatchObject({ state: 'sent', attempt: 1 });
    expect(it.faults).toHaveLength(1);
  });

  it('stops when what is under way has ended, and takes nothing more', async () => {
    const { dispatcher, run, mail, time } = scene([aMail('a'), aMail('b'), aMail('c')], async (_, clock) => {
      await pause(clock, 2_000);
      return sent;
    });
    dispatcher.start();
    let stoppedAt: number | null = null;
    time.after(500, () => {
      void dispatcher.stop(5_000).then(() => {
        stoppedAt = time.now;
      });
    });
    await run(60_000);
    expect(stoppedAt).toBe(2_000);
    expect(['a', 'b', 'c'].map((id) => mail(id)?.state)).toEqual(['sent', 'sent', 'pending']);
  });

  it('cuts off what is still under way when the grace is over, which counts as no try', async () => {
    const it = scene([aMail('m')], (_, time) => pause(time, 60_000).then(() => sent));
    it.dispatcher.start();
    let stoppedAt: number | null = null;
    it.time.after(500, () => {
      void it.dispatcher.stop(1_000).then(() => {
        stoppedAt = it.time.now;
      });
    });
    await it.run(60_000);
    expect(stoppedAt).toBe(1_500);
    expect(it.mail('m')).toMatchObject({ state: 'pending', attempt: 0, nextAttemptAt: leaseMs });
    expect(it.ended).toEqual([]);
  });
});
