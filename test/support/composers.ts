import type { Composer } from '../../src/adapters/destinations/email/composer.js';
import type { EmailDeps } from '../../src/adapters/destinations/email/email.js';
import {
  createNotifications,
  type NotificationDeps,
} from '../../src/adapters/destinations/email/notification.js';
import { mailTemplates } from '../../src/domain/planning/mail-templates.js';

const none: Composer = async () => {
  throw new Error('No mail to a visitor is expected');
};

/** With templates that are rendered, and with no unsubscribed addresses. */
export function notifications(deps: Partial<NotificationDeps>): Composer {
  const link = deps.link ?? ((id) => `https://inlet.test/submissions/${id}`);
  const fileLink = deps.fileLink ?? ((id) => `https://inlet.test/files/${id}`);
  return createNotifications({
    subject: async () => null,
    readFile: async ({ filename }) => Buffer.from(`content of ${filename}`),
    templates: mailTemplates({ submission: link, file: fileLink }),
    unsubscribeUrl: ({ address }) => `https://inlet.test/unsubscribe?token=${encodeURIComponent(address)}`,
    suppression: async () => null,
    ...deps,
    ...{ link, fileLink },
  });
}

/** For tests that send notifications only. */
export const onlyNotifications = (deps: Partial<NotificationDeps>): EmailDeps['composers'] => ({
  notification: notifications(deps),
  digest: none,
  reply: none,
  confirmation: none,
});
