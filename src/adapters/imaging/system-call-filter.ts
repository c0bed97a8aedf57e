/**
 * The system calls that a codec must not make, as a seccomp program for the kernel: no network, no new process, nothing that
 * signals, reads or slows down another process, no change to a file's name or permissions, and none of the interfaces through
 * which kernels are attacked. Decoding needs none of them.
 *
 * A denylist and not an allowlist: Node, V8 and the C library may need a new call in their next version, and a codec that
 * cannot start is useless.
 */

/** Per architecture: the number that identifies it in a filter, and the numbers of the calls. */
const x64 = {
  audit: 0xc000003e,
  clone: 56,
  clone3: 435,
  fcntl: 72,
  ioctl: 16,
  setpriority: 141,
  // prlimit64 sched_setparam sched_setscheduler sched_setaffinity sched_setattr
  takesProcess: [302, 142, 144, 203, 314],
  refused: [
    // socket connect accept bind listen accept4
    41, 42, 43, 49, 50, 288,
    // fork vfork ptrace kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open pidfd_getfd
    57, 58, 101, 62, 200, 234, 129, 297, 424, 434, 438,
    // process_vm_readv process_vm_writev kcmp migrate_pages move_pages process_madvise process_mrelease ioprio_set
    310, 311, 312, 256, 279, 440, 448, 251,
    // rename mkdir rmdir creat link unlink symlink chmod fchmod chown fchown lchown truncate mknod utime utimes
    82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 76, 133, 132, 235,
    // mkdirat mknodat fchownat futimesat unlinkat renameat linkat symlinkat fchmodat utimensat renameat2 fchmodat2
    258, 259, 260, 261, 263, 264, 265, 266, 268, 280, 316, 452,
    // setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    188, 189, 190, 197, 198, 199,
    // mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
    165, 166, 155, 161, 272, 308, 428, 429, 430, 431, 432, 433, 442,
    // bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key
    321, 298, 323, 425, 426, 427, 250, 248, 249,
    // open_by_handle_at name_to_handle_at init_module finit_module delete_module kexec_load kexec_file_load reboot
    304, 303, 175, 313, 176, 246, 320, 169,
  ],
} as const; // biome-ignore format: numbers beside their names

const arm64 = {
  audit: 0xc00000b7,
  clone: 220,
  clone3: 435,
  fcntl: 25,
  ioctl: 29,
  setpriority: 140,
  // prlimit64 sched_setparam sched_setscheduler sched_setaffinity sched_setattr
  takesProcess: [261, 118, 119, 122, 274],
  refused: [
    // socket bind listen accept connect accept4
    198, 200, 201, 202, 203, 242,
    // ptrace kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal pidfd_open pidfd_getfd
    117, 129, 130, 131, 138, 240, 424, 434, 438,
    // process_vm_readv process_vm_writev kcmp migrate_pages move_pages process_madvise process_mrelease ioprio_set
    270, 271, 272, 238, 239, 440, 448, 30,
    // mknodat mkdirat unlinkat symlinkat linkat renameat truncate fchmod fchmodat fchownat fchown utimensat renameat2 fchmodat2
    33, 34, 35, 36, 37, 38, 45, 52, 53, 54, 55, 88, 276, 452,
    // setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    5, 6, 7, 14, 15, 16,
    // umount2 mount pivot_root chroot unshare setns open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
    39, 40, 41, 51, 97, 268, 428, 429, 430, 431, 432, 433, 442,
    // bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key
    280, 241, 282, 425, 426, 427, 219, 217, 218,
    // open_by_handle_at name_to_handle_at init_module finit_module delete_module kexec_load kexec_file_load reboot
    265, 264, 105, 273, 106, 104, 294, 142,
  ],
} as const; // biome-ignore format: numbers beside their names

const calls: Readonly<Record<string, typeof x64 | typeof arm64>> = { x64, arm64 };

// linux/bpf_common.h and linux/seccomp.h
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfSet = 0x45;
const give = 0x06;
const allow = 0x7fff0000;
const failWith = (errno: number): number => 0x00050000 | errno;
const eperm = 1;
const enosys = 38;
/**
 * Offsets in `struct seccomp_data` of the call's number, the architecture, and the lower halves of the first arguments. The
 * kernel treats all arguments that are checked as 32 bits or as flags: it ignores the upper halves too.
 */
const at = { number: 0, architecture: 4, firstArgument: 16, secondArgument: 24 } as const;
const cloneThread = 0x10000;
/** The second set of x64 calls (x32) begins here. Nothing uses it, and it would bypass the numbers above. */
const x32Bit = 0x40000000;

/** F_SETOWN and F_SETOWN_EX, FIOSETOWN and SIOCSPGRP: they set which process gets a signal when there is something to read. */
const signalOwner = { fcntl: [8, 15], ioctl: [0x8901, 0x8902] } as const;

type Line = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** `lines` decide about this call. What they do not reject is allowed. */
const decide = (call: number, lines: readonly Line[]): readonly Line[] => [
  [jumpIfEqual, 0, lines.length + 1, call],
  ...lines,
  [give, 0, 0, allow],
];

/** The argument must be 0, which means the calling process. */
const mustBeZero = (argument: number): readonly Line[] => [
  [load, 0, 0, argument],
  [jumpIfEqual, 1, 0, 0],
  [give, 0, 0, failWith(eperm)],
];

/** The second argument must be none of these. */
const mustNotBe = (values: readonly number[]): readonly Line[] => [
  [load, 0, 0, at.secondArgument],
  ...values.flatMap((value): readonly Line[] => [
    [jumpIfEqual, 0, 1, value],
    [give, 0, 0, failWith(eperm)],
  ]),
];

/** Returns null when the architecture's numbers are not known. */
export function systemCallFilter(architecture: string): Buffer | null {
  const known = calls[architecture];
  if (!known) return null;
  const lines: readonly Line[] = [
    [load, 0, 0, at.architecture],
    [jumpIfEqual, 1, 0, known.audit],
    [give, 0, 0, failWith(eperm)],
    [load, 0, 0, at.number],
    [jumpIfAtLeast, 0, 1, x32Bit],
    [give, 0, 0, failWith(enosys)],
    // A filter cannot read its flags. The C library falls back to the older call, which is allowed only for threads.
    [jumpIfEqual, 0, 1, known.clone3],
    [give, 0, 0, failWith(enosys)],
    ...known.refused.flatMap((number) => [
      [jumpIfEqual, 0, 1, number] as const,
      [give, 0, 0, failWith(eperm)] as const,
    ]),
    ...known.takesProcess.flatMap((call) => decide(call, mustBeZero(at.firstArgument))),
    // PRIO_PROCESS is 0. A codec's group and user may also be the service's.
    ...decide(known.setpriority, [...mustBeZero(at.firstArgument), ...mustBeZero(at.secondArgument)]),
    ...decide(known.fcntl, mustNotBe(signalOwner.fcntl)),
    ...decide(known.ioctl, mustNotBe(signalOwner.ioctl)),
    ...decide(known.clone, [
      [load, 0, 0, at.firstArgument],
      [jumpIfSet, 1, 0, cloneThread],
      [give, 0, 0, failWith(eperm)],
    ]),
    [give, 0, 0, allow],
  ];
  const program = Buffer.alloc(lines.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of lines.entries()) {
    program.writeUInt16LE(code, index * 8);
    program.writeUInt8(ifTrue, index * 8 + 2);
    program.writeUInt8(ifFalse, index * 8 + 3);
    program.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return program;
}
