/** The part of the composition that works on what was received: the inbox, deliveries, numbers and persons. */
import { parseSender } from '../adapters/mailer/smtp-url.js';
import type { Config } from '../config/options.js';
import type { AuditTrail } from '../domain/audit/trail.js';
import { createDestinationSends } from '../domain/deliveries/destination-sends.js';
import { TestSender } from '../domain/deliveries/send-test.js';
import { createDeliveryService } from '../domain/deliveries/service.js';
import { createDestinationService } from '../domain/destinations/service.js';
import { createLabelService } from '../domain/inbox/labels.js';
import { createNoteService } from '../domain/inbox/notes.js';
import { createPublishChange } from '../domain/inbox/publish-change.js';
import { createInboxService } from '../domain/inbox/service.js';
import { createViewService } from '../domain/inbox/views.js';
import { createMailDrafts } from '../domain/mail/drafts.js';
import { createPersonService } from '../domain/persons/service.js';
import { createSuppressionService } from '../domain/replies/service.js';
import { createQuarantineService } from '../domain/spam/quarantine.js';
import { createSubmissionExport } from '../domain/submissions/export.js';
import { createLongReads, type LongReads } from '../domain/submissions/long-reads.js';
import { createSubmissionService, type SubmissionService } from '../domain/submissions/service.js';
import { createAttentionService } from '../domain/tallies/attention.js';
import { createNumbersService } from '../domain/tallies/numbers.js';
import { createRejectionService } from '../domain/tallies/rejections.js';
import { createConfigCheck } from '../http/api/destinations.js';
import type { HttpOptions } from '../http/server.js';
import { deriveKey } from '../kernel/secrets.js';
import type { ServiceParts, Services } from './parts.js';

type ApiParts = HttpOptions['api'];

/**
 * Searches may take seconds, and other reads need a connection meanwhile: twelve searches of one account took all four
 * of a process, and half of the submissions to other accounts were rejected. The embedded database has two reader threads.
 */
const longReadsAtOnce = ({ databaseUrl, databasePoolSize }: Config): number =>
  databaseUrl === null ? 1 : Math.max(1, Math.min(databasePoolSize - 2, Math.ceil(databasePoolSize / 3)));

export function composeInbox(parts: ServiceParts, services: Services, trail: AuditTrail) {
  const { config, foundation, store, clock, signals, tallies } = parts;
  const { blobs } = foundation;
  const { projects, forms, sending } = services;
  const longReads = createLongReads(longReadsAtOnce(config));
  const submissions = createSubmissionService({
    ...{ store, blobs, forms, projects, signals, clock, longReads, trail },
  });
  const publishChange = createPublishChange(signals);
  return {
    submissions,
    exports: createSubmissionExport({ store, clock }),
    inbox: createInboxService({ store, forms, projects, signals, clock, publishChange }),
    labels: createLabelService({ store, clock }),
    notes: createNoteService({ store, clock, submissions, publishChange, trail }),
    views: createViewService({ store, clock, forms, projects }),
    quarantine: createQuarantineService({
      ...{ store, forms, signals, clock, trail, planning: sending.planning },
    }),
    persons: createPersonService({
      ...{ store, blobs, clock, longReads, hash: services.personHash },
      receiptKey: deriveKey(foundation.secret, 'receipts'),
    }),
    rejections: createRejectionService({ store, forms, tallies, clock, trail }),
    suppressions: createSuppressionService({ store, forms, tallies, clock, trail }),
    numbers: createNumbersService({ store, forms, projects, tallies, clock, longReads }),
    attention: createAttentionService({ store, blobs, tallies, clock }),
    ...composeDeliveries(parts, services, { submissions, longReads, trail }),
  };
}

/** What the owner of a form sees of destinations and deliveries; `delivery.ts` sends them. */
function composeDeliveries(
  { config, store, clock, counters, signals, addressPolicy }: ServiceParts,
  { projects, forms, replays, sending }: Services,
  deps: {
    readonly submissions: SubmissionService;
    readonly longReads: LongReads;
    readonly trail: AuditTrail;
  },
): Pick<ApiParts, 'destinations' | 'deliveries' | 'replays' | 'sends' | 'mailDrafts'> {
  const { planning, previewLinks, current, composers, mailer } = sending;
  const tests = new TestSender({ planning, clock });
  const destinations = createDestinationService({
    ...{ store, clock, signals, addressPolicy },
    checkConfig: createConfigCheck(),
  });
  return {
    ...{ destinations, replays },
    deliveries: createDeliveryService({
      ...{ store, forms, projects, current, planning, signals, clock, addressPolicy, tests },
      ...deps,
    }),
    sends: createDestinationSends({
      ...{ store, destinations, forms, projects, replays, planning, previewLinks, clock, tests },
      ...{ longReads: deps.longReads, trail: deps.trail },
    }),
    mailDrafts: createMailDrafts({
      ...{ store, forms, counters, clock, composers, mailer },
      sender: config.mailFrom === null ? null : parseSender(config.mailFrom),
      baseUrl: config.baseUrl,
    }),
  };
}
