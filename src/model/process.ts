/** A serving process. It reports every few seconds that it is alive, and owns what it has leased. */

/** `all`: requests and sending. `api`: requests only. `worker`: sending and upkeep only. */
export type Role = 'all' | 'api' | 'worker';

export const roles: readonly Role[] = ['all', 'api', 'worker'];

export const answersRequests = (role: Role): boolean => role !== 'worker';

/** Whether the role sends deliveries and takes part in upkeep. */
export const works = (role: Role): boolean => role !== 'api';

export interface ServingProcess {
  /** Ids are in order of start. The id owns the leases of what this process sends. */
  readonly id: string;
  readonly role: Role;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
}
