/** Reads and exports the audit log for its owner. Entries cannot be changed. */
import type { Principal } from '../../model/account.js';
import type { AuditEntry } from '../../model/audit.js';
import type { AuditFilter } from '../../ports/audit.js';
import type { Store } from '../../ports/store.js';
import type { AuditTrail } from './trail.js';

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The value of `before` for the next page. null on the last one. */
  readonly next: number | null;
}

export interface AuditService {
  /** Newest first. */
  list(
    who: Principal,
    filter: AuditFilter,
    page: { readonly limit: number; readonly before: number | null },
  ): Promise<AuditPage>;
  /** All entries, newest first, in pages. The export itself is recorded first. */
  export(who: Principal, filter: AuditFilter): Promise<AsyncGenerator<readonly AuditEntry[]>>;
}

const exportRows = 500;
const object = { kind: 'audit', id: null } as const;

export function createAuditService(deps: { store: Store; trail: AuditTrail }): AuditService {
  const { store, trail } = deps;

  async function* pages(
    accountId: string,
    filter: AuditFilter,
    upTo: number | null,
  ): AsyncGenerator<readonly AuditEntry[]> {
    for (let before = upTo; ; ) {
      const found = await store.audit.list(accountId, filter, { limit: exportRows, before });
      if (found.length > 0) yield found;
      const last = found.at(-1);
      if (!last || found.length < exportRows) return;
      before = last.seq;
    }
  }

  return {
    async list(who, filter, { limit, before }) {
      await trail.viewed(who, 'audit.viewed', object);
      const found = await store.audit.list(who.accountId, filter, { limit: limit + 1, before });
      const entries = found.slice(0, limit);
      return { entries, next: found.length > limit ? (entries.at(-1)?.seq ?? null) : null };
    },

    async export(who, filter) {
      await trail.taken(who, { action: 'audit.exported', object });
      return pages(who.accountId, filter, null);
    },
  };
}
