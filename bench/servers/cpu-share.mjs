/**
 * Limits the CPU time of a program and everything it starts, with a Linux control group. On a machine where database,
 * servers and load share two cores, one Inlet process already fills them. What a second one adds can only be seen when each
 * gets a fixed share.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const periodUs = 20_000;
const root = '/sys/fs/cgroup';

/** How to set the limit in each of the two versions of control groups. */
const versions = [
  {
    folder: join(root, 'cpu'),
    isThere: () => existsSync(join(root, 'cpu', 'cpu.cfs_quota_us')),
    bound(group, cores) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(cores * periodUs)));
    },
  },
  {
    folder: root,
    isThere: () => existsSync(join(root, 'cgroup.controllers')),
    bound(group, cores) {
      writeFileSync(join(group, 'cpu.max'), `${Math.round(cores * periodUs)} ${periodUs}`);
    },
  },
];

/** Returns null when this machine or this user cannot do it. `take` adds a process and whatever it starts from then on. */
export function createCpuShare(cores) {
  const version = versions.find((one) => one.isThere());
  if (!version) return null;
  const group = join(version.folder, `inlet-bench-${process.pid}-${Math.round(cores * 1000)}`);
  try {
    mkdirSync(group);
    version.bound(group, cores);
  } catch {
    try {
      rmdirSync(group);
    } catch {
      // It was never created.
    }
    return null;
  }
  return {
    take: (pid) => writeFileSync(join(group, 'cgroup.procs'), String(pid)),
    async end() {
      // A group can only be removed after its last process has ended.
      for (let tries = 0; tries < 50; tries += 1) {
        try {
          rmdirSync(group);
          return;
        } catch {
          await pause(100);
        }
      }
    },
  };
}
