/** The part of the composition that receives submissions. */
import { createAltcha } from '../adapters/captcha/altcha.js';
import { captchaByProvider } from '../adapters/captcha/by-provider.js';
import { createSiteverify } from '../adapters/captcha/siteverify.js';
import { createFieldLearner } from '../domain/fields/learner.js';
import { createStaging } from '../domain/files/staging.js';
import { Confirmation } from '../domain/sending/confirmation.js';
import { createAdmissionDesk } from '../domain/submissions/admission.js';
import { createChallengeDesk } from '../domain/submissions/challenge.js';
import { type CommitBatcher, createCommitBatcher } from '../domain/submissions/commit-batcher.js';
import { createHostedPageDesk } from '../domain/submissions/hosted-page.js';
import { createIntake } from '../domain/submissions/intake.js';
import { createIntakeForms } from '../domain/submissions/intake-forms.js';
import type { HttpOptions } from '../http/server.js';
import { bodyLimits } from '../http/submit/body/limits.js';
import { systemTimers } from '../kernel/clock.js';
import { deriveKey } from '../kernel/secrets.js';
import type { ServiceParts, Services } from './parts.js';

export function composeBatcher({ store, metrics }: ServiceParts): CommitBatcher {
  const batcher = createCommitBatcher({
    commit: (entries) => store.commit(entries),
    maxBatch: 256,
    maxWaiting: 20_000,
    onBatch: metrics.batch,
  });
  metrics.watch('inlet_commit_waiting', 'Submissions that wait for the next commit', () => batcher.waiting);
  return batcher;
}

export function composeIntake(
  parts: ServiceParts,
  { sending: { planning } }: Services,
  batcher: CommitBatcher,
): Pick<HttpOptions, 'submit' | 'uploadLimits'> {
  const { config, foundation, store, clock, counters, signals, tallies } = parts;
  const forms = createIntakeForms({ store, clock, signals, baseUrl: config.baseUrl });
  const desk = createAdmissionDesk({
    forms,
    counters,
    now: clock.now,
    defaultRateLimitPerMinute: config.rateLimitPerMinute,
    instanceMark: parts.instanceMark,
    visitorKey: deriveKey(foundation.secret, 'visitors'),
  });
  const { altcha, captcha } = composeCaptcha(parts);
  const uploadLimits = {
    maxFileBytes: config.maxFileBytes,
    maxFiles: config.maxFiles,
    maxBodyBytes: config.maxBodyBytes,
  };
  return {
    submit: {
      desk,
      challenges: createChallengeDesk({ desk, counters, maker: altcha, now: clock.now }),
      hosted: createHostedPageDesk({ desk, forms: store.forms, now: clock.now }),
      intake: createIntake({
        ...{ store, batcher, captcha, signals, clock, planning },
        staging: createStaging({ blobs: foundation.blobs, clock }),
        upgradeUrl: config.upgradeUrl,
        learner: createFieldLearner({ store: store.fields }),
      }),
      confirmation: new Confirmation({
        ...{ store, signals, timers: systemTimers, random: Math.random },
        now: () => performance.now(),
      }),
      tallies,
      limits: bodyLimits(uploadLimits),
      trusted: config.trustProxy,
    },
    uploadLimits,
  };
}

function composeCaptcha({ config, log, foundation, store, clock, closer }: ServiceParts) {
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
  return { altcha, captcha: captchaByProvider({ altcha, siteverify }) };
}
