/** What an owner can send to a destination besides new submissions: a test, a preview (not sent) and a backfill. */
import type { KindName } from '../../contract/destination.js';
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import type { Destination, KindAndConfig } from '../../model/destination.js';
import type { Replay, ReplayScope } from '../../model/replay.js';
import { noFilter } from '../../model/submission.js';
import { kindOf, type SendResult } from '../../ports/destination-kind.js';
import type { OwnerScope, Store } from '../../ports/store.js';
import type { AuditTrail } from '../audit/trail.js';
import { filterText, templateText } from '../destinations/rules.js';
import type { DestinationService, OwnerName } from '../destinations/service.js';
import type { FormService } from '../forms/service.js';
import { type Links, shareEvent } from '../planning/event.js';
import { type Planning, routeOf } from '../planning/plan.js';
import type { ProjectService } from '../projects/service.js';
import type { LongReads } from '../submissions/long-reads.js';
import { Backfill } from './backfill.js';
import type { ReplayService } from './replay.js';
import type { TestSender } from './send-test.js';

export interface BackfillOptions {
  readonly since: number | null;
  readonly until: number | null;
  /** Not validated yet. undefined or null when there is none. */
  readonly filter: unknown;
  readonly perMinute: number;
}

export interface Draft {
  readonly kind: KindName;
  /** Not validated yet. undefined or null when there is none. */
  readonly filter: unknown;
  readonly template: unknown;
}

export interface Preview {
  /** How many of the latest submissions the destination would receive. */
  readonly matched: number;
  readonly of: number;
  /** What the newest match would be sent as. null when nothing matches, or when the kind renders the body on sending. */
  readonly body: string | null;
}

export interface DestinationSends {
  test(who: Principal, id: string): Promise<SendResult>;
  preview(who: Principal, owner: OwnerName, draft: Draft): Promise<Preview>;
  /** How many deliveries a backfill would send. */
  countMissed(who: Principal, id: string, options: BackfillOptions): Promise<number>;
  backfill(who: Principal, id: string, options: BackfillOptions): Promise<Replay>;
}

const previewed = 50;

export function createDestinationSends(deps: {
  store: Store;
  destinations: DestinationService;
  forms: FormService;
  projects: ProjectService;
  replays: ReplayService;
  planning: Planning;
  previewLinks: Links;
  clock: Clock;
  longReads: LongReads;
  trail: AuditTrail;
  tests: TestSender;
}): DestinationSends {
  const { store, destinations, forms, projects, replays, planning, previewLinks } = deps;
  const { clock, longReads, trail, tests } = deps;
  const backfills = new Backfill(deps);

  const scopeOf = (destination: Destination, options: BackfillOptions): ReplayScope => ({
    formId: destination.formId,
    projectId: destination.formId === null ? destination.projectId : null,
    since: options.since,
    until: options.until ?? clock.now(),
    deliveryState: 'failed',
    destinationId: destination.id,
    filter: filterText(options.filter ?? null),
  });

  const count = async (who: Principal, id: string, options: BackfillOptions) => {
    const { destination } = await destinations.get(who, id);
    const scope = scopeOf(destination, options);
    return { scope, total: await longReads(who.accountId, () => backfills.count(scope, destination)) };
  };

  return {
    async test(who, id) {
      const { destination } = await destinations.get(who, id);
      const project = await projects.get(who, destination.projectId);
      const found = destination.formId === null ? null : await forms.get(who, destination.formId);
      return tests.send(destination, found?.form ?? null, project);
    },

    async preview(who, owner, draft) {
      const destination = draftOf(draft, clock.now());
      const { filter, template } = routeOf(destination);
      const scope = await placeOf(who, owner);
      const page = await store.submissions.list(scope, noFilter, { limit: previewed, after: null });
      // Audited as a view, because the preview shows the newest match.
      const id = scope.kind === 'form' ? scope.formId : scope.projectId;
      await trail.viewed(who, 'submissions.listed', { kind: scope.kind, id });
      let matched = 0;
      let body: string | null = null;
      for (const submission of page.items) {
        const source = await store.forms.findWithProject(submission.formId);
        if (!source) continue;
        const about = { ...source, submission, files: submission.files };
        const event = shareEvent(about, 'submission.created', previewLinks);
        if (filter && !event.passes(filter)) continue;
        matched += 1;
        if (matched > 1) continue;
        const [prepared] = kindOf(planning.kinds, destination).prepare(event.for(template), destination);
        body = prepared?.body || null;
      }
      return { matched, of: page.items.length, body };
    },

    countMissed: async (who, id, options) => (await count(who, id, options)).total,

    async backfill(who, id, options) {
      const { scope, total } = await count(who, id, options);
      return replays.beginScope(who, scope, options.perMinute, total);
    },
  };

  async function placeOf(who: Principal, { kind, id }: OwnerName): Promise<OwnerScope> {
    if (kind === 'form') return { kind, formId: (await forms.get(who, id)).form.id };
    return { kind, projectId: (await projects.get(who, id)).id };
  }
}

/** Just enough of a destination to render its message. Nothing is sent to it. */
function draftOf({ kind, filter, template }: Draft, now: number): Destination {
  return {
    id: '',
    projectId: '',
    formId: null,
    name: '',
    isActive: true,
    builtIn: false,
    filter: filterText(filter ?? null),
    template: templateText(kind, template ?? null),
    retryDelaysMs: null,
    createdAt: now,
    updatedAt: now,
    ...configs[kind],
  };
}

const url = 'https://example.com/';
const configs: Readonly<Record<KindName, KindAndConfig>> = {
  webhook: {
    kind: 'webhook',
    config: { url, method: 'POST', headers: {}, secret: null, content_type: 'application/json' },
  },
  email: { kind: 'email', config: { to: ['you@example.com'], cc: [], bcc: [] } },
  slack: { kind: 'slack', config: { url } },
  discord: { kind: 'discord', config: { url } },
  teams: { kind: 'teams', config: { url } },
  telegram: { kind: 'telegram', config: { token: '', chat_id: '' } },
  google_sheets: { kind: 'google_sheets', config: { credentials: '', spreadsheet_id: '', sheet: '' } },
};
