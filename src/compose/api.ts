/** The part of the composition that answers requests: the services of the domain, and the routes in front of them. */
import type { FastifyRequest } from 'fastify';
import { createAltcha } from '../adapters/captcha/altcha.js';
import { captchaByProvider } from '../adapters/captcha/by-provider.js';
import { createSiteverify } from '../adapters/captcha/siteverify.js';
import { composeLetter } from '../adapters/destinations/email/letter.js';
import { createSharpImaging, imagingDefaults } from '../adapters/imaging/sharp.js';
import { parseSender } from '../adapters/mailer/smtp-url.js';
import { createOpenId } from '../adapters/oidc/openid.js';
import type { Config } from '../config/options.js';
import { createAttempts } from '../domain/accounts/attempts.js';
import { createDevices, deviceLifeMs } from '../domain/accounts/devices.js';
import { ensureFirstAccount, type FirstAccount } from '../domain/accounts/first-account.js';
import { createIdentityProviderService } from '../domain/accounts/identity-providers.js';
import { createPasswords } from '../domain/accounts/passwords.js';
import { createProviderSignIn, departureMs } from '../domain/accounts/provider-sign-in.js';
import { createPendingSignIns } from '../domain/accounts/second-factor.js';
import { absoluteMs, createSessionService, type SignInReport } from '../domain/accounts/sessions.js';
import { createSetupService } from '../domain/accounts/setup.js';
import { createUserService } from '../domain/accounts/users.js';
import { createAuditService } from '../domain/audit/service.js';
import { createAuditTrail } from '../domain/audit/trail.js';
import { createDestinationSends } from '../domain/deliveries/destination-sends.js';
import { TestSender } from '../domain/deliveries/send-test.js';
import { createDeliveryService } from '../domain/deliveries/service.js';
import { createDestinationService } from '../domain/destinations/service.js';
import { createEventFeed } from '../domain/events/feed.js';
import { createFieldLearner } from '../domain/fields/learner.js';
import { FileService } from '../domain/files/service.js';
import { createStaging } from '../domain/files/staging.js';
import { createAliasService } from '../domain/forms/aliases.js';
import { ImageService } from '../domain/images/service.js';
import { createLabelService } from '../domain/inbox/labels.js';
import { createNoteService } from '../domain/inbox/notes.js';
import { createInboxService } from '../domain/inbox/service.js';
import { createTellChange } from '../domain/inbox/tell-change.js';
import { createViewService } from '../domain/inbox/views.js';
import { createInstanceReport } from '../domain/instance/report.js';
import { createMailDrafts } from '../domain/mail/drafts.js';
import { createPersonService } from '../domain/persons/service.js';
import { createSuppressionService } from '../domain/replies/service.js';
import { Confirmation } from '../domain/sending/confirmation.js';
import { createEmailChange } from '../domain/signing-in/email-change.js';
import { createInvitationService } from '../domain/signing-in/invitations.js';
import { createSignInMails } from '../domain/signing-in/mails.js';
import { createPasskeys } from '../domain/signing-in/passkeys.js';
import { createPasswordReset } from '../domain/signing-in/password-reset.js';
import { createSecondFactors } from '../domain/signing-in/second-factors.js';
import { createSessionList } from '../domain/signing-in/session-list.js';
import { createQuarantineService } from '../domain/spam/quarantine.js';
import { createAdmissionDesk } from '../domain/submissions/admission.js';
import { createChallengeDesk } from '../domain/submissions/challenge.js';
import { createCommitBatcher } from '../domain/submissions/commit-batcher.js';
import { createSubmissionExport } from '../domain/submissions/export.js';
import { createFieldsOf } from '../domain/submissions/field-report.js';
import { createHostedPageDesk } from '../domain/submissions/hosted-page.js';
import { createIntake } from '../domain/submissions/intake.js';
import { createIntakeForms } from '../domain/submissions/intake-forms.js';
import { createLongReads } from '../domain/submissions/long-reads.js';
import { createOptInService } from '../domain/submissions/opt-in.js';
import { createRuleCheck } from '../domain/submissions/rule-check.js';
import { createSubmissionService } from '../domain/submissions/service.js';
import { createSourcesOf } from '../domain/submissions/sources.js';
import { createAttentionService } from '../domain/tallies/attention.js';
import { createNumbersService } from '../domain/tallies/numbers.js';
import { createRejectionService } from '../domain/tallies/rejections.js';
import { judgeIssuer } from '../domain/webhooks/address-policy.js';
import { createConfigCheck } from '../http/api/destinations.js';
import { createAbsenceCookie, createDeviceCookie, createSessionCookie } from '../http/cookies.js';
import { publicAccess } from '../http/ops/access.js';
import { createGate } from '../http/principal.js';
import { createSameOrigin } from '../http/same-origin.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import { bodyLimits } from '../http/submit/body/limits.js';
import { visitOf } from '../http/submit/visit.js';
import { systemTimers } from '../kernel/clock.js';
import { withoutAddresses } from '../kernel/error-text.js';
import { createSealer, deriveKey } from '../kernel/secrets.js';
import { composeFileFetcher, composeImports } from './import.js';
import type { ServiceParts, Services } from './parts.js';

/**
 * Searches may take seconds, and other reads need a connection meanwhile: twelve searches of one tenant took all four
 * of a process, and half of the submissions to other tenants were rejected. The embedded database has two threads that read.
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
  const { projects, forms, replays, sending, tokens } = services;
  const longReads = createLongReads(longReadsAtOnce(config));
  const trail = createAuditTrail({ store, clock });
  closer.add(
    'audit events',
    store.audit.watch((recorded) => {
      if (signals.isHeard('audit-recorded')) signals.publish({ kind: 'audit-recorded', ...recorded });
    }),
  );
  const submissions = createSubmissionService({
    ...{ store, blobs, forms, projects, signals, clock, longReads, trail },
  });
  const batcher = createCommitBatcher({
    commit: (entries) => store.commit(entries),
    maxBatch: 256,
    maxWaiting: 20_000,
    onBatch: metrics.batch,
  });
  metrics.watch('inlet_commit_waiting', 'Submissions that wait for the next commit', () => batcher.waiting);
  const imaging = createSharpImaging({
    ...imagingDefaults,
    folder: foundation.dataDir.path,
    isUnderPressure: () => !batcher.isQuiet(),
    onIsolation: ({ missing }) =>
      missing.length === 0
        ? log.info('image codecs are fully isolated')
        : log.info({ missing }, 'image codecs run without some isolation that this system does not support'),
    onFailure: (error) => log.error({ err: error }, 'images cannot be processed: no image codec can be used'),
    onCrash: () => log.error('an image codec died; an image that ends two of them is refused for 10 minutes'),
  });
  metrics.watch('inlet_images_waiting', 'Images that wait for a codec', () => imaging.waiting);
  const images = new ImageService({
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
  const files = new FileService({
    store,
    blobs,
    images,
    tokens,
    signals,
    clock,
    accessTokenLifeMs: config.fileTokenTtlMs,
    upgradeUrl: config.upgradeUrl,
    trail,
  });
  const staging = createStaging({ blobs, clock });
  const { planning, current } = sending;
  const tests = new TestSender({ planning, clock });
  const deliveries = createDeliveryService({
    ...{ store, submissions, forms, projects, current, planning, signals, clock, addressPolicy },
    ...{ longReads, trail, tests },
  });
  const destinations = createDestinationService({
    ...{ store, clock, signals, addressPolicy },
    checkConfig: createConfigCheck(),
  });
  const tell = createTellChange(signals);
  const quarantine = createQuarantineService({ store, forms, signals, clock, planning, trail });

  const passwords = createPasswords();
  const attempts = createAttempts({ counters, clock });
  const devices = createDevices({ key: deriveKey(foundation.secret, 'devices'), clock });
  const observeSignIn = ({ outcome, userId, address }: SignInReport): void => {
    metrics.signIn(outcome);
    // Without what was typed as the address: people type passwords there. Throttled ones are only counted.
    if (outcome === 'succeeded') log.info({ user: userId, ip: address }, 'signed in');
    else if (outcome === 'failed') log.warn({ user: userId, ip: address }, 'sign-in failed');
  };
  const sessions = createSessionService({
    store,
    clock,
    attempts,
    devices,
    passwords,
    pending: createPendingSignIns({
      sealer: createSealer(deriveKey(foundation.secret, 'second factor')),
      clock,
    }),
    observe: observeSignIn,
    onLateFault: (error) => log.warn({ err: error }, 'the last use of a session was not noted'),
  });
  const users = createUserService({ store, clock, passwords, onSessionsEnded: sessions.forgetLogin });
  const singleSignOn = createOpenId(sending.outbound);
  const callbackUrl = (id: string) => `${config.baseUrl}/api/v1/session/providers/${id}/callback`;
  const setup = createSetupService({
    store,
    clock,
    passwords,
    users,
    attempts,
    devices,
    isShared: foundation.isShared,
  });
  const mails = createSignInMails({
    ...{ mailer: sending.mailer, clock, baseUrl: config.baseUrl, compose: composeLetter },
    onFault: (why) => log.warn({ why: withoutAddresses(why) }, 'mail about signing in not sent'),
  });
  const passwordReset = createPasswordReset({
    ...{ store, clock, counters, attempts, passwords, mails, onSessionsEnded: sessions.forgetLogin },
    onLateFault: (error) => log.error({ err: error }, 'a link for a new password was not sent'),
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
  const addressOf = (request: FastifyRequest): string => visitOf(request.raw, config.trustProxy).ip;

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
  const intakeForms = createIntakeForms({ store, clock, signals, baseUrl: config.baseUrl });

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
    visitorKey: deriveKey(foundation.secret, 'visitors'),
  });
  const http = await createHttpServer({
    submit: {
      desk,
      challenges: createChallengeDesk({ desk, counters, maker: altcha, now: clock.now }),
      hosted: createHostedPageDesk({ desk, forms: store.forms, now: clock.now }),
      intake: createIntake({
        store,
        staging,
        batcher,
        captcha: captchaByProvider({ altcha, siteverify }),
        signals,
        clock,
        upgradeUrl: config.upgradeUrl,
        planning,
        learner: createFieldLearner({ store: store.fields }),
      }),
      confirmation: new Confirmation({
        store,
        signals,
        timers: systemTimers,
        now: () => performance.now(),
        random: Math.random,
      }),
      tallies,
      limits: bodyLimits(uploadLimits),
      trusted: config.trustProxy,
    },
    subscriptions: sending.subscriptions,
    api: {
      gate: createGate({
        accounts,
        sessions,
        cookie,
        sameOrigin,
        counters,
        now: clock.now,
        requestsPerMinute: config.apiRateLimitPerMinute,
        addressOf,
      }),
      accounts,
      sessions,
      setup,
      users,
      sendsMail: planning.sendsMail,
      passwordReset,
      invitations: createInvitationService({
        ...{ store, clock, counters, attempts, passwords, devices, mails },
      }),
      emailChange: createEmailChange({ store, clock, attempts, passwords, sessions, mails }),
      sessionList: createSessionList({ store, sessions, now: clock.now }),
      passkeys: createPasskeys({
        ...{ store, clock, attempts, sessions, baseUrl: config.baseUrl },
        sealer: createSealer(deriveKey(foundation.secret, 'passkeys')),
      }),
      secondFactors: createSecondFactors({ store, clock, attempts, sessions }),
      identityProviders: createIdentityProviderService({
        ...{ store, clock, singleSignOn, callbackUrl },
        judgeIssuer: (url) => judgeIssuer(addressPolicy, url),
        onSessionsEnded: sessions.forgetAll,
      }),
      providerSignIn: createProviderSignIn({
        ...{ store, clock, counters, singleSignOn, callbackUrl },
        sealer: createSealer(deriveKey(foundation.secret, 'single-sign-on')),
        dashboardUrl: `${config.baseUrl}/dashboard/`,
        observe: observeSignIn,
        onUserChanged: sessions.forgetLogin,
      }),
      callbackUrl,
      absenceCookie: createAbsenceCookie(config.baseUrl, departureMs / 1000),
      onSignInFailed: ({ failure, detail }, provider) =>
        log.warn({ provider, failure, detail }, 'single sign-on failed'),
      cookie,
      deviceCookie,
      sameOrigin,
      addressOf,
      projects,
      forms,
      sources: createSourcesOf({ store, forms, clock }),
      fields: createFieldsOf({ store, forms }),
      checkRules: createRuleCheck({ store, forms }),
      aliases: createAliasService({ store, clock, signals }),
      destinations,
      sends: createDestinationSends({
        ...{ store, destinations, forms, projects, replays, planning, clock, longReads, trail, tests },
      }),
      mailDrafts: createMailDrafts({
        ...{ store, forms, counters, clock, composers: sending.composers, mailer: sending.mailer },
        sender: config.mailFrom === null ? null : parseSender(config.mailFrom),
        baseUrl: config.baseUrl,
      }),
      submissions,
      inbox: createInboxService({ store, forms, projects, signals, clock, tell }),
      labels: createLabelService({ store, clock }),
      notes: createNoteService({ store, clock, submissions, tell, trail }),
      views: createViewService({ store, clock, forms, projects }),
      quarantine,
      trail,
      audit: createAuditService({ store, trail }),
      exports: createSubmissionExport({ store, clock }),
      imports: composeImports(foundation),
      fileFetcher: composeFileFetcher(config, addressPolicy, parts.ownEndpoints, version),
      files,
      deliveries,
      replays,
      rejections: createRejectionService({ store, forms, tallies, clock, trail }),
      persons: createPersonService({
        ...{ store, blobs, clock, longReads, hash: services.personHash },
        receiptKey: deriveKey(foundation.secret, 'receipts'),
      }),
      suppressions: createSuppressionService({ store, forms, tallies, clock, trail }),
      events: createEventFeed({
        store,
        signals,
        timers: systemTimers,
        onFault: (error) => log.warn({ err: error }, 'changes of deliveries were not told to live pages'),
      }),
      numbers: createNumbersService({ store, forms, projects, tallies, clock, longReads }),
      attention: createAttentionService({ store, blobs, tallies, clock }),
      instance: createInstanceReport({
        store,
        blobs,
        clock,
        version,
        sendsMail: planning.sendsMail,
        processId: options.processId,
      }),
      baseUrl: config.baseUrl,
    },
    confirm: {
      optIns: createOptInService({ store, sealer: services.optInSealer, clock, signals, planning }),
      counters,
      clock,
    },
    uploadLimits,
    metrics,
    readiness: parts.readiness,
    opsAccess: publicAccess(config),
    baseUrl: config.baseUrl,
    pictureOrigins: blobs.links === null ? [] : [blobs.links.origin],
    version,
    log,
  });

  return { http, begin, isQuiet: batcher.isQuiet };
}
