/**
 * The processes that serve one database, as each of them sees the others.
 *
 * The contract, which `test/contracts/store/processes.ts` runs against every adapter: a process is listed from its first
 * beat until it leaves or is removed, and of several who remove a silent one at the same moment, one is told so.
 */
import type { ServingProcess } from '../model/process.js';

export interface ProcessRegistry {
  /** Says that this process is there, as of `seenAt`. False: it was not listed; from now on it is. */
  beat(process: ServingProcess): Promise<boolean>;
  leave(id: string): Promise<void>;
  /** By id, lowest first. */
  list(): Promise<readonly ServingProcess[]>;
  /** Takes it out unless it has beaten since it was seen at that time. True: it was taken out now, by us. */
  remove(id: string, seenAt: number): Promise<boolean>;
  /** Nobody is there: for the one process of a database that cannot be shared. */
  clear(): Promise<void>;
}
