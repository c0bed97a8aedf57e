/** What planning needs, with the kinds that settings of a form create. A test that sends adds its own. */

import { createEmail } from '../../src/adapters/destinations/email/email.js';
import type { HttpCalls } from '../../src/adapters/destinations/http-call.js';
import { createWebhook } from '../../src/adapters/destinations/webhook.js';
import type { KindName } from '../../src/contract/destination.js';
import type { Planning } from '../../src/domain/planning/plan.js';
import type { DelaysByKind } from '../../src/domain/sending/attempt.js';
import type { DestinationKind, DestinationKinds } from '../../src/ports/destination-kind.js';
import { onlyNotifications } from './composers.js';
import { someTime } from './nouns.js';
import { only } from './ports.js';

const unused = <Kind extends KindName>(): DestinationKind<Kind> => only<DestinationKind<Kind>>({});

export const theseKinds = (kinds: Partial<DestinationKinds> = {}): DestinationKinds => ({
  webhook: unused(),
  email: unused(),
  slack: unused(),
  discord: unused(),
  teams: unused(),
  telegram: unused(),
  google_sheets: unused(),
  ...kinds,
});

export const delaysOfAll = (delays: readonly number[]): DelaysByKind => ({
  webhook: delays,
  email: delays,
  slack: delays,
  discord: delays,
  teams: delays,
  telegram: delays,
  google_sheets: delays,
});

export const aPlanning = (more: Partial<Planning> = {}): Planning => ({
  kinds: theseKinds({
    webhook: createWebhook({
      calls: only<HttpCalls>({}),
      clock: { now: () => someTime },
    }),
    email: createEmail({
      mailer: null,
      composers: onlyNotifications({}),
      now: () => 0,
      async observe() {},
    }),
  }),
  links: {
    submission: (id) => `https://inlet.test/submissions/${id}`,
    file: (id) => `https://inlet.test/files/${id}`,
  },
  sendsMail: true,
  ...more,
});
