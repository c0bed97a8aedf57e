/** The part of the composition that serves requests: the services of the domain, and the routes in front of them. */
import { ensureFirstAccount, type FirstAccount } from '../domain/accounts/first-account.js';
import { createAuditService } from '../domain/audit/service.js';
import { type AuditTrail, createAuditTrail } from '../domain/audit/trail.js';
import { createEventFeed } from '../domain/events/feed.js';
import { createAliasService } from '../domain/forms/aliases.js';
import { createInstanceReport } from '../domain/instance/report.js';
import { createFieldsOf } from '../domain/submissions/field-report.js';
import { createOptInService } from '../domain/submissions/opt-in.js';
import { createRuleCheck } from '../domain/submissions/rule-check.js';
import { createSourcesOf } from '../domain/submissions/sources.js';
import { publicAccess } from '../http/ops/access.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import { systemTimers } from '../kernel/clock.js';
import { composeFiles } from './files.js';
import { composeFileFetcher, composeImports } from './import.js';
import { composeInbox } from './inbox.js';
import { composeBatcher, composeIntake } from './intake.js';
import type { ServiceParts, Services } from './parts.js';
import { composeSignIn } from './sign-in.js';

/** What a new instance gives its operator to get in. */
export interface Beginning {
  readonly firstAccount: FirstAccount | null;
  /** For the link that creates the first user; null when there is a user. */
  readonly setupToken: string | null;
}

export interface Api {
  readonly http: HttpServer;
  /** Creates the first account on an empty database, and the first user or the link that creates one. */
  begin(): Promise<Beginning>;
  /** Whether nothing is being committed right now. */
  isQuiet(): boolean;
}

export async function composeApi(
  parts: ServiceParts,
  services: Services,
  options: { readonly onFirstAccount: (account: FirstAccount) => void; readonly processId: string },
): Promise<Api> {
  const { config, log, foundation, store, clock, counters, signals, metrics, version } = parts;
  const { blobs } = foundation;
  const { projects, forms, sending } = services;
  const trail = composeAudit(parts);
  const batcher = composeBatcher(parts);
  const files = composeFiles(parts, services, { trail, isUnderPressure: () => !batcher.isQuiet() });
  const signIn = composeSignIn(parts, services);
  const begin = async (): Promise<Beginning> => {
    const firstAccount = await ensureFirstAccount(foundation.accounts, {
      plan: config.defaultPlan,
      apiKey: config.apiKey,
    });
    if (firstAccount) options.onFirstAccount(firstAccount);
    const setupToken = await signIn.setup.prepare(
      config.adminEmail !== null && config.adminPassword !== null
        ? { email: config.adminEmail, password: config.adminPassword }
        : null,
    );
    return { firstAccount, setupToken };
  };
  const http = await createHttpServer({
    ...composeIntake(parts, services, batcher),
    subscriptions: sending.subscriptions,
    api: {
      ...signIn,
      ...composeInbox(parts, services, trail),
      ...{ projects, forms, files, trail },
      sources: createSourcesOf({ store, forms, clock }),
      fields: createFieldsOf({ store, forms }),
      checkRules: createRuleCheck({ store, forms }),
      aliases: createAliasService({ store, clock, signals }),
      audit: createAuditService({ store, trail }),
      imports: composeImports(foundation),
      fileFetcher: composeFileFetcher(config, parts.addressPolicy, parts.ownEndpoints, version),
      events: createEventFeed({
        ...{ store, signals, timers: systemTimers },
        onFault: (error) => log.warn({ err: error }, 'live pages were not notified of changed deliveries'),
      }),
      instance: createInstanceReport({
        ...{ store, blobs, clock, version, processId: options.processId },
        sendsMail: sending.planning.sendsMail,
      }),
      baseUrl: config.baseUrl,
    },
    confirm: {
      optIns: createOptInService({
        ...{ store, clock, signals, sealer: services.optInSealer, planning: sending.planning },
      }),
      ...{ counters, clock },
    },
    ...{ metrics, version, log, readiness: parts.readiness, baseUrl: config.baseUrl },
    opsAccess: publicAccess(config),
    pictureOrigins: blobs.links === null ? [] : [blobs.links.origin],
  });
  return { http, begin, isQuiet: batcher.isQuiet };
}

function composeAudit({ store, clock, signals, closer }: ServiceParts): AuditTrail {
  closer.add(
    'audit events',
    store.audit.watch((recorded) => {
      if (signals.isHeard('audit-recorded')) signals.publish({ kind: 'audit-recorded', ...recorded });
    }),
  );
  return createAuditTrail({ store, clock });
}
