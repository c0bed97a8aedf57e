/** What a process has open, as the kernel sees it. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** A connection by its two ports: that of the process, then that of its peer. */
export const connection = (ownPort: number, otherPort: number): string => `${ownPort} ${otherPort}`;

/** All connections of which a process still has its side open, whatever their state. The table is read once for all of them. */
export async function heldConnections(): Promise<ReadonlySet<string>> {
  const portOf = (address: string): number => Number.parseInt(address.slice(-4), 16);
  const [, ...lines] = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/));
  return new Set(
    rows
      .filter(([, , , , , , , , , inode = '0']) => inode !== '0')
      .map(([, local = '', remote = '']) => connection(portOf(local), portOf(remote))),
  );
}

/** The files that this process has open below a folder. */
export async function openFiles(pid: number, folder: string): Promise<readonly string[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  // A descriptor that was closed in between is not open.
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return links.filter((link) => link.startsWith(folder));
}
