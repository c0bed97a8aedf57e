/** A process that serves: it says every few seconds that it is there, and owns what it has leased. */

/** `all`: requests and sending. `api`: requests only. `worker`: sending and upkeep only. */
export type Role = 'all' | 'api' | 'worker';

export const roles: readonly Role[] = ['all', 'api', 'worker'];

export const answersRequests = (role: Role): boolean => role !== 'worker';

/** Sends, and takes its part in upkeep. */
export const works = (role: Role): boolean => role !== 'api';

export interface ServingProcess {
  /** Ids are in the order of starting; it owns the leases of what this process sends. */
  readonly id: string;
  readonly role: Role;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
}
