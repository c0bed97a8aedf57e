import { readFileSync } from 'node:fs';

/** How many descriptors this process can have open. Returns null where the limit is unknown; it is read on Linux only. */
export function descriptorLimit(limits = '/proc/self/limits'): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(limits, 'utf8'))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
