/** Mails through the real engine, with a queue in memory and virtual time, to a mail server of every kind. */

import { describe, expect, it } from 'vitest';
import { createEmail } from '../../src/adapters/destinations/email/email.js';
import { createAttempts } from '../../src/domain/sending/attempt.js';
import { Dispatcher } from '../../src/domain/sending/dispatcher.js';
import { type Delivery, laneOf, mailOrigin, queues } from '../../src/model/delivery.js';
import { builtInEmail } from '../../src/model/destination.js';
import type { MailMessage, MailOutcome } from '../../src/ports/mailer.js';
import { onlyNotifications } from '../support/composers.js';
import { MemoryQueue } from '../support/memory-queue.js';
import { aForm, aProject, aSubmission } from '../support/nouns.js';
import { delaysOfAll, theseKinds } from '../support/planning.js';
import { seeded } from '../support/seeded.js';
import { VirtualTime } from '../support/virtual-time.js';

const leaseMs = 100_000;
const minute = 60_000;
const delays = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * minute);
const sent: MailOutcome = { kind: 'sent' };
const busy: MailOutcome = { kind: 'refused', permanent: false, isNoMailbox: false, detail: '451 later' };
const unknownUser: MailOutcome = {
  kind: 'refused',
  permanent: true,
  isNoMailbox: true,
  detail: '550 no such user',
};
const signing = { secret: '', previousSecret: null, previousSecretUntil: null };

/** Each mail belongs to its own form: they share only the mail server. */
const forms = Array.from({ length: 9 }, () => aForm({ notifyEmails: ['ada@example.com'] }));

const aMail = (id: string, nextAttemptAt: number, which = 0): Delivery => {
  const destination = builtInEmail(forms[which] ?? aForm(), null);
  return {
    id,
    submissionId: `submission of ${id}`,
    formId: destination.formId ?? '',
    projectId: destination.projectId,
    destinationId: destination.id,
    kind: 'email',
    target: 'form',
    lane: laneOf(mailOrigin, destination.id),
    url: 'ada@example.com',
    body: '',
    state: 'pending',
    attempt: 0,
    extraAttempts: 0,
    resumeAt: null,
    trigger: 'auto',
    queue: queues.first,
    nextAttemptAt,
    heldUntil: null,
    isInFlight: false,
    createdAt: 0,
  };
};

/** `server` decides how each mail ends. */
function scene(
  ids: readonly string[],
  server: (mail: MailMessage, time: VirtualTime) => Promise<MailOutcome>,
) {
  const time = new VirtualTime(seeded(7));
  const clock = { now: () => time.now };
  const queue = new MemoryQueue();
  queue.add(ids.map((id, i) => aMail(id, 0, i % forms.length)));
  const faults: unknown[] = [];
  let underWay = 0;
  let most = 0;
  let tokens = 0;
  let cut = (): void => {};
  const cutOff = new Promise<MailOutcome>((resolve) => {
    // Like a mailer: the mail was not sent, and may be retried.
    cut = () => resolve(busy);
  });
  const email = createEmail({
    mailer: {
      async send(mail) {
        underWay += 1;
        most = Math.max(most, underWay);
        try {
          return await Promise.race([server(mail, time), cutOff]);
        } finally {
          underWay -= 1;
        }
      },
      check: async () => {},
      cutOff: () => cut(),
      close: async () => {},
    },
    composers: onlyNotifications({
      subject: async () => ({ submission: aSubmission(), form: aForm(), project: aProject() }),
    }),
    now: clock.now,
    async observe() {},
  });
  const current = {
    get: async ({ formId }: { formId: string }) => ({
      destination: builtInEmail(forms.find(({ id }) => id === formId) ?? aForm(), null),
      signing,
    }),
  };
  const dispatcher = new Dispatcher({
    queue,
    attempt: createAttempts({ current, kinds: theseKinds({ email }), clock, delays: delaysOfAll(delays) }),
    delaysOf: async () => delays,
    cutOff: () => email.cutOff(),
    clock,
    timers: time,
    random: () => 0,
    newToken: () => {
      tokens += 1;
      return `token ${tokens}`;
    },
    owner: 'me',
    leaseMs,
    observer: { attempted() {}, recorded() {}, lost() {}, failed: (error) => void faults.push(error) },
  });
  return {
    time,
    queue,
    dispatcher,
    faults,
    most: () => most,
    mail: (id: string) => queue.read(id),
    run: (until: number) => time.run(until, () => false),
  };
}

const pause = (time: VirtualTime, ms: number): Promise<void> =>
  new Promise((resolve) => {
    time.after(ms, resolve);
  });

describe('mails', () => {
  it('go to the mail server at most two at once, over all forms', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
    const { dispatcher, run, mail, most } = scene(ids, async (_, time) => {
      await pause(time, 300);
      return sent;
    });
    dispatcher.start();
    await run(minute);
    expect(ids.map((id) => mail(id)?.state)).toEqual(ids.map(() => 'delivered'));
    expect(most()).toBe(2);
  });

  it('are tried again by their schedule while the server is down, and given up after the last', async () => {
    const tries: number[] = [];
    const { dispatcher, run, mail } = scene(['m'], async (_, time) => {
      tries.push(time.now);
      return busy;
    });
    dispatcher.start();
    await run(3 * 24 * 60 * minute);
    expect(tries.slice(1).map((at, i) => at - (tries[i] ?? 0))).toEqual(delays);
    expect(mail('m')).toMatchObject({ state: 'failed', attempt: 8, nextAttemptAt: null });
    expect(mail('m')?.attempts.at(-1)?.error).toBe('mail_server: 451 later');
  });

  it('loses nothing over an outage', async () => {
    const { dispatcher, run, mail } = scene(['m'], async (_, time) => (time.now < 10 * minute ? busy : sent));
    dispatcher.start();
    await run(24 * 60 * minute);
    expect(mail('m')).toMatchObject({ state: 'delivered', attempt: 4 });
  });

  it('are not tried again when they are refused for good', async () => {
    const { dispatcher, run, mail } = scene(['m'], async () => unknownUser);
    dispatcher.start();
    await run(24 * 60 * minute);
    expect(mail('m')).toMatchObject({ state: 'failed', attempt: 1 });
  });

  it('are sent at once when the engine is woken for them, and found without that', async () => {
    const sentAt = new Map<string, number>();
    const { dispatcher, run, queue, time } = scene([], async ({ id }, { now }) => {
      sentAt.set(id, now);
      return sent;
    });
    dispatcher.start();
    time.after(1_000, () => {
      const mail = aMail('woken', 1_000);
      queue.add([mail]);
      dispatcher.wake([mail.lane]);
    });
    time.after(20_500, () => queue.add([aMail('found', 20_500)]));
    await run(minute);
    expect(sentAt.get('woken')).toBe(1_000);
    expect((sentAt.get('found') ?? 0) - 20_500).toBeLessThanOrEqual(2_000);
  });

  it('survive a mailer that throws, and that is no attempt', async () => {
    let isFirst = true;
    const it = scene(['m'], async () => {
      if (!isFirst) return sent;
      isFirst = false;
      throw new Error('a surprise');
    });
    it.dispatcher.start();
    await it.run(10 * minute);
    expect(it.mail('m')).toMatchObject({ state: 'delivered', attempt: 1 });
    expect(it.faults).toHaveLength(1);
  });

  it('that are under way when the service stops end, and no more are begun', async () => {
    const { dispatcher, run, mail, time } = scene(['a', 'b', 'c'], async (_, clock) => {
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
    await run(minute);
    expect(stoppedAt).toBe(2_000);
    expect(['a', 'b', 'c'].map((id) => mail(id)?.state)).toEqual(['delivered', 'delivered', 'pending']);
  });

  it('that are cut off when the grace is over count as not attempted', async () => {
    const it = scene(['m'], (_, time) => pause(time, minute).then(() => sent));
    it.dispatcher.start();
    let stoppedAt: number | null = null;
    it.time.after(500, () => {
      void it.dispatcher.stop(1_000).then(() => {
        stoppedAt = it.time.now;
      });
    });
    await it.run(minute);
    expect(stoppedAt).toBe(1_500);
    expect(it.mail('m')).toMatchObject({ state: 'pending', attempt: 0, attempts: [], isInFlight: false });
    // The next process learns that it may have arrived.
    const next = await it.queue.runCycle({
      records: [],
      releases: [],
      unconfirmed: [],
      picks: [{ lane: it.mail('m')?.lane ?? '', queue: queues.first, limit: 1 }],
      lease: { token: 'next', owner: 'you', until: 2 * minute },
      now: minute,
    });
    expect(next.found[0]?.due).toMatchObject([{ id: 'm', isInFlight: true }]);
    expect(it.faults).toEqual([]);
  });
});
