/** What travels between the dashboard and /api/v1: types only. Shapes of the contract are taken from it. */
import type { Static } from 'typebox';
import type { SubmissionFull, SubmissionList } from '../../src/contract/submission.js';

export type { AccountFull, ApiKeyCreated, ApiKeyItem, CreateApiKey } from '../../src/contract/account.js';
export type { DeliveryFull, DeliveryItem, WebhookTestResult } from '../../src/contract/delivery.js';
export type { FormBody, FormCreated, FormFull, FormItem } from '../../src/contract/form.js';
export type { ProjectBody, ProjectCreated, ProjectFull, ProjectItem } from '../../src/contract/project.js';
export type { ReplayFull, ReplayRequest } from '../../src/contract/replay.js';

export type Submission = Static<typeof SubmissionFull>;
export type SubmissionPage = Static<typeof SubmissionList>;
export type SubmissionFile = Submission['files'][number];
export type WebhookState = 'pending' | 'delivered' | 'failed';

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

export interface Session {
  readonly user: { readonly id: string; readonly email: string };
  readonly account: { readonly id: string; readonly name: string; readonly plan: string };
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly created_at: string;
}

export interface StatsDay {
  readonly day: string;
  readonly received: number;
  readonly quarantined: number;
  readonly refused: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
}

export interface Stats {
  readonly days: readonly StatsDay[];
  readonly delivery_ms: { readonly p50: number | null; readonly p95: number | null };
}

export type AttentionKind =
  | 'receiver_failing'
  | 'sandbox_in_use'
  | 'quarantine_waiting'
  | 'disk_low'
  | 'mail_failing';

export interface Attention {
  readonly kind: AttentionKind;
  readonly form_id: string | null;
  readonly form_name: string | null;
  readonly count: number;
  readonly detail: string;
}

/** A row of the delivery lists of a form or a project. */
export interface DeliveryRow {
  readonly id: string;
  readonly submission_id: string;
  readonly form_id: string;
  readonly target: 'form' | 'project';
  readonly url: string;
  readonly state: WebhookState;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
}

export interface TurnedAway {
  readonly days: readonly {
    readonly day: string;
    readonly total: number;
    readonly reasons: Readonly<Record<string, number>>;
  }[];
  readonly examples: readonly {
    readonly reason: string;
    readonly at: string;
    readonly seen: string | null;
    readonly ip: string | null;
    readonly user_agent: string | null;
  }[];
}

export interface Instance {
  readonly version: string;
  readonly node: string;
  readonly started_at: string;
  readonly uptime_s: number;
  readonly database: { readonly engine: string; readonly size_bytes: number | null };
  readonly storage: { readonly kind: string; readonly free_bytes: number | null };
  /** null: only the operator's account is told. */
  readonly queue: { readonly age_ms: number | null; readonly waiting: number | null };
  readonly mail: { readonly is_configured: boolean };
  /** null: only the operator's account sees them. */
  readonly processes:
    | readonly {
        readonly role: 'all' | 'api' | 'worker';
        readonly host: string;
        readonly pid: number;
        readonly version: string;
        readonly started_at: string;
        readonly seen_at: string;
      }[]
    | null;
  readonly your_ip: string;
}

export interface SpamItem {
  readonly id: string;
  readonly form_id: string;
  readonly project_id: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The honeypot that was filled in. */
  readonly field: string;
  readonly files_dropped: number;
  readonly metadata: Submission['metadata'];
  readonly created_at: string;
  readonly expires_at: string;
}

export interface Snippets {
  readonly endpoint: string;
  readonly script_url: string;
  readonly data: readonly {
    readonly name: string;
    readonly title: string;
    readonly language: string;
    readonly code: string;
  }[];
}
