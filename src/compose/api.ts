/** The part of the composition that answers requests: the services of the domain, and the routes in front of them. */
import { createAltcha } from '../adapters/captcha/altcha.js';
import { captchaByProvider } from '../adapters/captcha/by-provider.js';
import { createSiteverify } from '../adapters/captcha/siteverify.js';
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import type { Config } from '../config/options.js';
import { createAttempts } from '../domain/accounts/attempts.js';
import { createDevices, deviceLifeMs } from '../domain/accounts/devices.js';
import { ensureFirstAccount, type FirstAccount } from '../domain/accounts/first-account.js';
import { createPasswords } from '../domain/accounts/passwords.js';
import { absoluteMs, createSessionService } from '../domain/accounts/sessions.js';
import { createSetupService } from '../domain/accounts/setup.js';
import { createUserService } from '../domain/accounts/users.js';
import { createEventFeed } from '../domain/events/feed.js';
import { createFileService } from '../domain/files/service.js';
import { createStaging } from '../domain/files/staging.js';
import { createImageService } from '../domain/images/service.js';
import { createInstanceReport } from '../domain/instance/report.js';
import { createQuarantineService } from '../domain/spam/quarantine.js';
import { createAdmissionDesk } from '../domain/submissions/admission.js';
import { createChallengeDesk } from '../domain/submissions/challenge.js';
import { createCommitLane } from '../domain/submissions/commit-lane.js';
import { createSubmissionExport } from '../domain/submissions/export.js';
import { createIntake } from '../domain/submissions/intake.js';
import { createIntakeForms } from '../domain/submissions/intake-forms.js';
import { createLongReads } from '../domain/submissions/long-reads.js';
import { createSubmissionService } from '../domain/submissions/service.js';
import { createAttentionService } from '../domain/tallies/attention.js';
import { createNumbersService } from '../domain/tallies/numbers.js';
import { createTurnedAwayService } from '../domain/tallies/turned-away.js';
import { createConfirmation } from '../domain/webhooks/confirmation.js';
import { createDeliveryService } from '../domain/webhooks/service.js';
import { createDeviceCookie } from '../http/device-cookie.js';
import { publicAccess } from '../http/ops/access.js';
import { createGate } from '../http/principal.js';
import { createSameOrigin } from '../http/same-origin.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import { createSessionCookie } from '../http/session-cookie.js';
import { bodyLimits } from '../http/submit/body/limits.js';
import { visitOf } from '../http/submit/visit.js';
import { systemTimers } from '../kernel/clock.js';
import { deriveKey } from '../kernel/secrets.js';
import type { ServiceParts, Services } from './parts.js';

/**
 * Searches may take seconds, and whoever reads meanwhile needs a connection too: twelve searches of one tenant took all four
 * of a process, and half of the submissions of others were refused. The embedded database has two threads that read.
 */
const longReadsAtOnce = ({ databaseUrl, databasePoolSize }: Config): number =>
  databaseUrl === null ? 1 : Math.max(1, Math.min(databasePoolSize - 2, Math.ceil(databasePoolSize / 3)));

/** Who may begin with it. */
export interface Beginning {
  readonly firstAccount: FirstAccount | null;
  /** Of the link that makes the first user; null: there is a user. */
  readonly setupToken: string | null;
}

export interface Api {
  readonly http: HttpServer;
  /** Makes the first account on an empty database, and the first user or the link that makes one. */
  begin(): Promise<Beginning>;
  /** Nothing is being committed at the moment. */
  isQuiet(): boolean;
}

export async function composeApi(
  parts: ServiceParts,
  services: Services,
  options: { readonly onFirstAccount: (account: FirstAccount) => void; readonly processId: string },
): Promise<Api> {
  const { config, log, foundation, store, clock, counters, signals, metrics, closer, tallies } = parts;
  const { addressPolicy, version } = parts;
  const { accounts, blobs } = foundation;
  const { projects, forms, replays, sender, tokens } = services;
  const longReads = createLongReads(longReadsAtOnce(config));
  const submissions = createSubmissionService({ store, blobs, forms, projects, signals, clock, longReads });
  const lane = createCommitLane({
    commit: (entries) => store.commit(entries),
    maxBatch: 256,
    maxWaiting: 20_000,
    onBatch: metrics.batch,
  });
  metrics.watch('inlet_commit_waiting', 'Submissions that wait for the next commit', () => lane.waiting);
  const imaging = createSharpImaging({
    ...imagingDefaults,
    folder: foundation.dataDir.path,
    isUnderPressure: () => !lane.isQuiet(),
    onIsolation: ({ missing }) =>
      missing.length === 0
        ? log.info('image codecs are fully isolated')
        : log.info({ missing }, 'image codecs run without some isolation that this system does not support'),
    onFailure: (error) => log.error({ err: error }, 'images cannot be processed: no image codec can be used'),
    onCrash: () => log.error('an image codec died; an image that ends two of them is refused for 10 minutes'),
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
    tokens,
    signals,
    clock,
    accessTokenLifeMs: config.fileTokenTtlMs,
    upgradeUrl: config.upgradeUrl,
  });
  const staging = createStaging({ blobs, clock });
  const deliveries = createDeliveryService({
    store,
    submissions,
    forms,
    projects,
    sender,
    signals,
    clock,
    addressPolicy,
    longReads,
  });
  const sendsMail = config.smtpUrl !== null && config.mailFrom !== null;
  const quarantine = createQuarantineService({ store, forms, signals, clock, sendsMail });

  const passwords = createPasswords();
  const attempts = createAttempts({ counters, clock });
  const devices = createDevices({ key: deriveKey(foundation.secret, 'devices'), clock });
  const sessions = createSessionService({
    store,
    clock,
    attempts,
    devices,
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
  const setup = createSetupService({
    store,
    clock,
    passwords,
    users,
    attempts,
    devices,
    isShared: foundation.isShared,
  });
  const begin = async (): Promise<Beginning> => {
    const firstAccount = await ensureFirstAccount(accounts, {
      plan: config.defaultPlan,
      apiKey: config.apiKey,
    });
    if (firstAccount) options.onFirstAccount(firstAccount);
    const setupToken = await setup.prepare(
      config.adminEmail !== null && config.adminPassword !== null
        ? { email: config.adminEmail, password: config.adminPassword }
        : null,
    );
    return { firstAccount, setupToken };
  };
  const cookie = createSessionCookie(config.baseUrl, absoluteMs / 1000);
  const deviceCookie = createDeviceCookie(config.baseUrl, deviceLifeMs / 1000);
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
  const desk = createAdmissionDesk({
    forms: intakeForms,
    counters,
    now: clock.now,
    defaultRateLimitPerMinute: config.rateLimitPerMinute,
    instanceMark: parts.instanceMark,
  });
  const http = await createHttpServer({
    submit: {
      desk,
      challenges: createChallengeDesk({ desk, counters, maker: altcha, now: clock.now }),
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
      deviceCookie,
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
        version,
        sendsMail,
        processId: options.processId,
      }),
      baseUrl: config.baseUrl,
    },
    uploadLimits,
    metrics,
    readiness: parts.readiness,
    opsAccess: publicAccess(config),
    baseUrl: config.baseUrl,
    pictureOrigins: foundation.blobs.linkOrigin === undefined ? [] : [foundation.blobs.linkOrigin],
    version,
    log,
  });

  return { http, begin, isQuiet: lane.isQuiet };
}
