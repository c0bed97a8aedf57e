/**
 * What systemd wants to know of a unit with `Type=notify`: that the service is up, that its event loop still turns, that it
 * stops. Node cannot send datagrams to a Unix socket, so a Perl of a few lines does: each line it reads becomes one. It says
 * nothing by itself: a process that is frozen is silent, and systemd restarts it (`WatchdogSec`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '../../kernel/log.js';

const script = `
use strict;
use Socket;
my $to = shift;
# An abstract socket.
$to =~ s/^@/\\0/;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or exit 1;
my $address = pack_sockaddr_un($to);
while (<STDIN>) { chomp; send($socket, $_, 0, $address); }
`;

export interface Systemd {
  ready(): void;
  stopping(): void;
  /** Says nothing more. */
  release(): void;
}

/** Reports in the time after which systemd restarts a silent process: one that is late, or two, does no harm. */
const reportsInWatchdogTime = 4;

/** How often the event loop reports that it turns, or null: nobody watches. */
export function reportEveryMs({ WATCHDOG_USEC }: NodeJS.ProcessEnv): number | null {
  const ms = Number(WATCHDOG_USEC) / 1000;
  return ms >= 1 ? ms / reportsInWatchdogTime : null;
}

/** null: systemd did not start this process, or does not want to know. */
export function connectSystemd(env: NodeJS.ProcessEnv, log: Logger): Systemd | null {
  const { NOTIFY_SOCKET } = env;
  if (!NOTIFY_SOCKET) return null;
  const speaker = createSpeaker(NOTIFY_SOCKET, log);
  const everyMs = reportEveryMs(env);
  let watchdog: NodeJS.Timeout | undefined;
  return {
    ready() {
      speaker.say('READY=1');
      if (everyMs !== null) watchdog = setInterval(() => speaker.say('WATCHDOG=1'), everyMs);
    },
    stopping: () => speaker.say('STOPPING=1'),
    release() {
      clearInterval(watchdog);
      speaker.end();
    },
  };
}

function createSpeaker(socket: string, log: Logger) {
  let perl: ChildProcess | null = null;
  const start = (): ChildProcess => {
    const child = spawn('/usr/bin/perl', ['-e', script, socket], {
      ...{ cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore'] },
    });
    // One that died is started again for the next message.
    const forget = (): void => {
      if (perl === child) perl = null;
    };
    child.once('exit', forget);
    child.once('error', (error) => {
      forget();
      log.error(
        { err: error },
        'systemd cannot be notified: install perl, or use Type=exec and no WatchdogSec',
      );
    });
    child.stdin?.on('error', forget);
    return child;
  };
  return {
    say(message: string): void {
      perl ??= start();
      perl.stdin?.write(`${message}\n`);
    },
    end(): void {
      perl?.stdin?.end();
    },
  };
}
