/** Writes the audit log: one entry, in the transaction that makes the change. */
import type { AuditAction } from '../../contract/audit.js';
import type { AuditEvent, AuditObject, Recorder } from '../../model/audit.js';
import type { AuditRecorder } from '../../ports/audit.js';
import { changedValues } from './changes.js';

export interface Change {
  readonly action: AuditAction;
  readonly object: AuditObject;
  /** The state before, if there was one. Only what differs from `after` is stored. */
  readonly before?: object | null;
  readonly after?: object | null;
}

const maxNameLength = 300;
const maxAgentLength = 500;

/** Makes the text one that every database stores and returns unchanged. */
const storable = (text: string, maxLength: number): string =>
  text.slice(0, maxLength).replaceAll('\0', '').toWellFormed();

export const eventOf = (
  { accountId, actor }: Recorder,
  { action, object, before = null, after = null }: Change,
): AuditEvent => ({
  accountId,
  action,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: storable(actor.name, maxNameLength),
  address: actor.address,
  userAgent: actor.userAgent === null ? null : storable(actor.userAgent, maxAgentLength),
  objectKind: object.kind,
  objectId: object.id,
  objectName: object.name ? storable(object.name, maxNameLength) : null,
  ...changedValues(before, after),
});

/** Stored if the transaction commits, dropped if it is rolled back. */
export const record = (tx: AuditRecorder, who: Recorder, change: Change): void =>
  tx.record(eventOf(who, change));
