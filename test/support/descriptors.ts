/** What a process has open, as the kernel sees it. */
import { readdir, readFile, readlink } from 'node:fs/promises';

/** Whether a process still has its side of the connection between these ports open, whatever the state of the connection. */
export async function isHeld(ownPort: number, otherPort: number): Promise<boolean> {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  const table = await readFile('/proc/net/tcp', 'utf8');
  return table.split('\n').some((line) => {
    const [, local = '', remote = '', , , , , , , inode = '0'] = line.trim().split(/\s+/);
    return local.endsWith(`:${hex(ownPort)}`) && remote.endsWith(`:${hex(otherPort)}`) && inode !== '0';
  });
}

/** The files that this process has open below a folder. */
export async function openFiles(pid: number, folder: string): Promise<readonly string[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  // A descriptor that was closed in between is not open.
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return links.filter((link) => link.startsWith(folder));
}
