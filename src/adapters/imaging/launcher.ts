/**
 * Drops access rights and executes the codec: `perl -e SCRIPT ARCH FILTER COUNT PATH… PROGRAM ARGUMENT…`.
 *
 * Perl, because Node cannot make these system calls. The alternatives are an addon that has to be compiled for every platform,
 * or tools that are missing where it matters: `unshare` is forbidden in containers and in our systemd unit, and only the
 * `setpriv` of 2024 supports Landlock. What the kernel does not support is left out. The last argument lists what was done.
 */
export const launcherScript = `
use strict;
my ($arch, $filter, $count, @rest) = @ARGV;
my @paths = splice(@rest, 0, $count);
my %nr = $arch eq 'x64' ? (prctl => 157, prlimit => 302, capget => 125, capset => 126)
  : (prctl => 167, prlimit => 261, capget => 90, capset => 91);
my ($create, $add, $restrict) = (444, 445, 446);
my @done;
# What the service was started with, and let us inherit.
syscall(436, 6, 0xffffffff, 0);
# RLIMIT_CORE: a core file would hold the picture.
my $none = pack('QQ', 0, 0);
syscall($nr{prlimit}, 0, 4, $none, 0);
# PR_SET_NO_NEW_PRIVS: both that follow ask for it.
if (syscall($nr{prctl}, 38, 1, 0, 0, 0) == 0) {
  my $version = syscall($create, 0, 0, 1);
  if ($version > 0) {
    # All rights over files that this kernel knows; TCP from version 4; abstract sockets and signals from version 6.
    my $files = (1 << ($version >= 5 ? 16 : $version >= 3 ? 15 : $version >= 2 ? 14 : 13)) - 1;
    my $rules = pack('Q*', $files, $version >= 4 ? 3 : (), $version >= 6 ? 3 : ());
    my $set = syscall($create, $rules, length($rules), 0);
    if ($set >= 0) {
      for my $path (@paths, "/proc/$$") {
        sysopen(my $file, $path, 0) or next;
        # Execute and read; of a folder also list.
        my $rule = pack('Ql', -d $path ? 13 : 5, fileno($file));
        syscall($add, $set, 1, $rule, 0);
      }
      push @done, 'landlock' if syscall($restrict, $set, 0) == 0;
    }
  }
  # Where the service is root and the codec too. CAP_DAC_READ_SEARCH may be what it takes to read the program.
  my ($self, $capabilities) = (pack('LL', 0x20080522, 0), pack('L6', (0) x 6));
  if (syscall($nr{capget}, $self, $capabilities) == 0) {
    my $read = (unpack('L6', $capabilities))[1] & 4;
    $capabilities = pack('L6', $read, $read, (0) x 4);
    syscall($nr{capset}, $self, $capabilities);
  }
  my $program = pack('H*', $filter);
  my $whole = pack('Sx6P', length($program) / 8, $program);
  # PR_SET_SECCOMP: systemd's usual filter does not let the newer call through.
  push @done, 'seccomp' if syscall($nr{prctl}, 22, 2, $whole) == 0;
}
exec { $rest[0] } @rest, join(' ', @done) or exit 126;
`;
