import type { Composer } from '../../src/adapters/destinations/email/composer.js';
import type { EmailDeps } from '../../src/adapters/destinations/email/email.js';
import {
  createNotifications,
  type NotificationDeps,
} from '../../src/adapters/destinations/email/notification.js';

const none: Composer = async () => {
  throw new Error('No mail to a visitor is expected');
};

/** For tests that send notifications only. */
export const onlyNotifications = (deps: NotificationDeps): EmailDeps['composers'] => ({
  notification: createNotifications(deps),
  reply: none,
  confirmation: none,
});
