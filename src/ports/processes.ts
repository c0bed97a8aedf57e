/**
 * The processes that serve one database, as each of them sees the others.
 *
 * The contract, which `test/contracts/store/processes.ts` runs against every adapter: a process is listed from its first
 * beat until it leaves or is removed, and when several remove a silent one at once, `remove` returns true for one of them.
 */
import type { ServingProcess } from '../model/process.js';

export interface ProcessRegistry {
  /** Reports this process as alive at `seenAt`. Returns false when it was not listed before; now it is. */
  beat(process: ServingProcess): Promise<boolean>;
  leave(id: string): Promise<void>;
  /** By id, lowest first. */
  list(): Promise<readonly ServingProcess[]>;
  /** Removes the process unless it has beaten since `seenAt`. Returns true when this call removed it. */
  remove(id: string, seenAt: number): Promise<boolean>;
  /** Removes all of them: for the only process of a database that cannot be shared. */
  clear(): Promise<void>;
}
