/** The composition root of the service: foundation → services → http and workers. It knows everybody, decides nothing. */
import { createAltcha } from '../adapters/captcha/altcha.js';
import { captchaByProvider } from '../adapters/captcha/by-provider.js';
import { createSiteverify } from '../adapters/captcha/siteverify.js';
import { memoryCounters } from '../adapters/counters/memory.js';
import type { DataDir } from '../adapters/data-dir/data-dir.js';
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import { memorySignals } from '../adapters/signals/memory.js';
import type { Config } from '../config/options.js';
import { ensureFirstAccount, type FirstAccount } from '../domain/accounts/first-account.js';
import { createPasswords } from '../domain/accounts/passwords.js';
import { absoluteMs, createSessionService } from '../domain/accounts/sessions.js';
import { createSetupService } from '../domain/accounts/setup.js';
import { createUserService } from '../domain/accounts/users.js';
import { createEventFeed } from '../domain/events/feed.js';
import { createFileService } from '../domain/files/service.js';
import { createStaging } from '../domain/files/staging.js';
import { createFileTokens } from '../domain/files/tokens.js';
import { createFormService } from '../domain/forms/service.js';
import { createImageService } from '../domain/images/service.js';
import { createInstanceReport } from '../domain/instance/report.js';
import { createProjectService } from '../domain/projects/service.js';
import { createQuarantineService } from '../domain/spam/quarantine.js';
import { createAdmissionDesk } from '../domain/submissions/admission.js';
import { createChallengeDesk } from '../domain/submissions/challenge.js';
import { createCommitLane } from '../domain/submissions/commit-lane.js';
import { createSubmissionExport } from '../domain/submissions/export.js';
import { createIntake } from '../domain/submissions/intake.js';
import { createIntakeForms } from '../domain/submissions/intake-forms.js';
import { createSubmissionService } from '../domain/submissions/service.js';
import { createAttentionService } from '../domain/tallies/attention.js';
import { createNumbersService } from '../domain/tallies/numbers.js';
import { createTallies } from '../domain/tallies/tallies.js';
import { createTurnedAwayService } from '../domain/tallies/turned-away.js';
import { createUpkeep } from '../domain/upkeep/service.js';
import type { AddressPolicy } from '../domain/webhooks/address-policy.js';
import { createConfirmation } from '../domain/webhooks/confirmation.js';
import { createReplayService } from '../domain/webhooks/replay.js';
import { createDeliveryService } from '../domain/webhooks/service.js';
import { createMetrics } from '../http/metrics.js';
import { createGate } from '../http/principal.js';
import { createSameOrigin } from '../http/same-origin.js';
import { createHttpServer } from '../http/server.js';
import { createSessionCookie } from '../http/session-cookie.js';
import { bodyLimits } from '../http/submit/body/limits.js';
import { visitOf } from '../http/submit/visit.js';
import { classify, NetworkSet } from '../kernel/addresses.js';
import { systemTimers } from '../kernel/clock.js';
import { hostOfUrl, isLocalhost } from '../kernel/hosts.js';
import { createCloser } from '../kernel/lifecycle.js';
import type { Logger } from '../kernel/log.js';
import { deriveKey } from '../kernel/secrets.js';
import { superviseTasks } from '../worker/supervisor.js';
import { replayTask, tallyTask, upkeepTasks } from '../worker/upkeep.js';
import { composeSending } from './delivery.js';
import type { Foundation } from './foundation.js';

export interface Service {
  readonly port: number;
  readonly firstAccount: FirstAccount | null;
  /** Of the link that makes the first user; null: there is a user. */
  readonly setupToken: string | null;
  readonly dataDir: DataDir;
  /** In-flight requests finish; then everything closes, last opened first. */
  stop(): Promise<void>;
}

/** Uploads and exports in flight get this long after a stop is asked for; the whole stop must fit into 20 s. */
const stopGraceMs = 15_000;

const isInside = (baseUrl: string): boolean => {
  const host = hostOfUrl(baseUrl);
  return host !== null && (isLocalhost(host) || classify(host) === 'loopback');
};

const addressPolicy = (config: Config): AddressPolicy => ({
  insideAllowed: isInside(config.baseUrl),
  allowedNetworks: new NetworkSet(config.webhookAllowedNetworks.networks),
  allowedHosts: new Set(config.webhookAllowedNetworks.hostNames),
});

export interface ServiceOptions {
  readonly version: string;
  readonly onFatal: (error: Error) => void;
  /** Called as soon as the first account is stored: its key must be shown even if the start fails later. */
  readonly onFirstAccount?: (account: FirstAccount) => void;
}

/** Takes the foundation over: it is closed when the service stops, or does not start. */
export async function startService(
  config: Config,
  log: Logger,
  foundation: Foundation,
  options: Omit<ServiceOptions, 'onFatal'>,
): Promise<Service> {
  const { store, blobs, accounts, dataDir } = foundation;
  const closer = createCloser();
  closer.add('foundation', () => foundation.close());
  const onCloseError = (name: string, error: unknown): void =>
    log.error({ err: error, part: name }, 'close failed');
  try {
    const { clock } = foundation;
    const counters = memoryCounters({ now: clock.now });
    closer.add('counters', () => counters.close());
    const signals = memorySignals({
      onListenerError: (error) => log.error({ err: error }, 'signal listener failed'),
    });
    closer.add('signals', () => signals.close());
    const metrics = createMetrics();
    const tallies = createTallies({ store: store.tallies, clock });
    // After everybody who counts has stopped.
    closer.add('tallies', () => tallies.write());

    const policy = addressPolicy(config);
    const projects = createProjectService({
      store,
      clock,
      signals,
      addressPolicy: policy,
      defaultRateLimitPerMinute: config.rateLimitPerMinute,
    });
    const forms = createFormService({ store, clock, signals, projects, addressPolicy: policy });
    const submissions = createSubmissionService({ store, blobs, forms, projects, signals, clock });
    const imaging = createSharpImaging({
      ...imagingDefaults,
      onCrash: () => log.error('an image codec died; the image that it worked on was refused'),
    });
    metrics.watch('inlet_images_waiting', 'Images that wait for a codec', () => imaging.waiting);
    const images = createImageService({
      store,
      blobs,
      imaging,
      clock,
      timers: systemTimers,
      limits: { maxPerFile: 50, maxTotalBytes: config.imageCacheBytes },
      observe: metrics.image,
      onLateFault: (error) => log.warn({ err: error }, 'a kept image was not accounted for'),
    });
    // What is being made is cut off, what is made is stored.
    closer.add('images', () => images.settle());
    closer.add('imaging', () => imaging.close());
    const files = createFileService({
      store,
      blobs,
      images,
      tokens: createFileTokens(deriveKey(foundation.secret, 'file-token')),
      signals,
      clock,
      accessTokenLifeMs: config.fileTokenTtlMs,
      upgradeUrl: config.upgradeUrl,
    });
    const staging = createStaging({ blobs, clock });
    const lane = createCommitLane({
      commit: (entries) => store.commit(entries),
      maxBatch: 256,
      maxWaiting: 20_000,
      onBatch: metrics.batch,
    });
    const upkeep = createUpkeep({ store, blobs, clock, attemptLifeMs: config.deliveryLogRetentionMs });
    const parts = { config, log, store, signals, clock, metrics, closer, tallies };
    const sending = composeSending(parts, policy, options.version);
    const deliveries = createDeliveryService({
      store,
      submissions,
      forms,
      projects,
      sender: sending.sender,
      signals,
      clock,
      addressPolicy: policy,
    });
    const sendsMail = config.smtpUrl !== null && config.mailFrom !== null;
    const quarantine = createQuarantineService({ store, forms, signals, clock, sendsMail });
    const replays = createReplayService({ store, forms, projects, signals, clock });
    metrics.watch('inlet_commit_waiting', 'Submissions that wait for the next commit', () => lane.waiting);

    const firstAccount = await ensureFirstAccount(
      { store, accounts },
      { plan: config.defaultPlan, apiKey: config.apiKey },
    );

    if (firstAccount) options.onFirstAccount?.(firstAccount);

    const passwords = createPasswords();
    const sessions = createSessionService({
      store,
      clock,
      counters,
      passwords,
      observe({ outcome, userId, address }) {
        metrics.signIn(outcome);
        // Without what was typed as the address: people type passwords there. Throttled ones are only counted.
        if (outcome === 'succeeded') log.info({ user: userId, ip: address }, 'signed in');
        else if (outcome === 'failed') log.warn({ user: userId, ip: address }, 'sign-in failed');
      },
      onLateFault: (error) => log.warn({ err: error }, 'the last use of a session was not noted'),
    });
    const users = createUserService({ store, clock, passwords, onSessionsEnded: sessions.forgetUser });
    const setup = createSetupService({ store, clock, passwords, users, sessions });
    const setupToken = await setup.prepare(
      config.adminEmail !== null && config.adminPassword !== null
        ? { email: config.adminEmail, password: config.adminPassword }
        : null,
    );
    const cookie = createSessionCookie(config.baseUrl, absoluteMs / 1000);
    const sameOrigin = createSameOrigin(config.baseUrl);

    const altcha = createAltcha({
      key: deriveKey(foundation.secret, 'altcha'),
      difficulty: config.altchaDifficulty,
      clock,
      spend: (id, expiresAt) => store.challenges.spend(id, expiresAt),
    });
    const siteverify = createSiteverify({
      urls: {
        turnstile: config.turnstileVerifyUrl,
        hcaptcha: config.hcaptchaVerifyUrl,
        recaptcha: config.recaptchaVerifyUrl,
      },
      onFault: (provider, reason) => log.warn({ provider, reason }, 'a CAPTCHA could not be checked'),
    });
    closer.add('captcha', () => siteverify.close());
    const intakeForms = createIntakeForms({ store, clock, signals });

    const uploadLimits = {
      maxFileBytes: config.maxFileBytes,
      maxFiles: config.maxFiles,
      maxBodyBytes: config.maxBodyBytes,
    };
    const http = await createHttpServer({
      submit: {
        desk: createAdmissionDesk({
          forms: intakeForms,
          counters,
          now: clock.now,
          defaultRateLimitPerMinute: config.rateLimitPerMinute,
        }),
        challenges: createChallengeDesk({ forms: intakeForms, counters, maker: altcha, now: clock.now }),
        intake: createIntake({
          store,
          staging,
          lane,
          captcha: captchaByProvider({ altcha, siteverify }),
          signals,
          clock,
          upgradeUrl: config.upgradeUrl,
          sendsMail,
        }),
        confirmation: createConfirmation({
          store,
          signals,
          timers: systemTimers,
          now: () => performance.now(),
          random: Math.random,
        }),
        staging,
        tallies,
        limits: bodyLimits(uploadLimits),
        trusted: config.trustProxy,
      },
      api: {
        gate: createGate({
          accounts,
          sessions,
          cookie,
          sameOrigin,
          counters,
          now: clock.now,
          requestsPerMinute: config.apiRateLimitPerMinute,
        }),
        accounts,
        sessions,
        setup,
        users,
        cookie,
        sameOrigin,
        addressOf: (request) => visitOf(request.raw, config.trustProxy).ip,
        projects,
        forms,
        submissions,
        quarantine,
        exports: createSubmissionExport({ store, clock }),
        files,
        deliveries,
        replays,
        turnedAway: createTurnedAwayService({ store, forms, tallies, clock }),
        events: createEventFeed({
          store,
          signals,
          timers: systemTimers,
          onFault: (error) => log.warn({ err: error }, 'changes of deliveries were not told to live pages'),
        }),
        numbers: createNumbersService({ store, forms, projects, tallies, clock }),
        attention: createAttentionService({ store, blobs, tallies, clock }),
        instance: createInstanceReport({
          store,
          blobs,
          clock,
          version: options.version,
          sendsMail,
        }),
        baseUrl: config.baseUrl,
      },
      uploadLimits,
      metrics,
      readiness: [
        { name: 'database', check: () => store.check() },
        { name: 'storage', check: () => blobs.check() },
      ],
      async queueAgeMs() {
        const dueAt = await store.deliveries.oldestDueAt();
        return dueAt === null ? 0 : Math.max(0, clock.now() - dueAt);
      },
      baseUrl: config.baseUrl,
      pictureOrigins: blobs.linkOrigin === undefined ? [] : [blobs.linkOrigin],
      version: options.version,
      log,
    });

    // We hold the lock: whatever lies half-written in the staging folder is of a process that is gone. What others share
    // with us is swept by its age, and a bucket that is away must not keep us from starting.
    if (!foundation.isShared && config.storageUrl === null) await blobs.sweepUnfinished(clock.now());
    const supervisor = superviseTasks(
      [
        ...upkeepTasks(upkeep, log, { isQuiet: lane.isQuiet, now: clock.now }),
        replayTask(replays),
        tallyTask(tallies),
      ],
      log,
    );
    closer.add('workers', () => supervisor.stop());
    await sending.start(files);
    const port = await http.listen(config.host, config.port);
    closer.add('http', () => http.close(stopGraceMs));
    return { port, firstAccount, setupToken, dataDir, stop: () => closer.close(onCloseError) };
  } catch (error) {
    await closer.close(onCloseError);
    throw error;
  }
}
