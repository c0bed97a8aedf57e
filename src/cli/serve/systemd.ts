/**
 * Notifies systemd about a unit with `Type=notify`: that the service is up, that its event loop is not blocked, that it
 * stops. Node cannot send datagrams to a Unix socket, so a short Perl script does: it sends each line it reads as one
 * datagram, and nothing by itself. A frozen process is therefore silent, and systemd restarts it (`WatchdogSec`).
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
  /** Ends all notifications. */
  release(): void;
}

/** Reports within the time after which systemd restarts a silent process: one or two late ones do no harm. */
const reportsInWatchdogTime = 4;

/** How often the event loop reports that it is not blocked; null without a watchdog. */
export function reportEveryMs({ WATCHDOG_USEC }: NodeJS.ProcessEnv): number | null {
  const ms = Number(WATCHDOG_USEC) / 1000;
  return ms >= 1 ? ms / reportsInWatchdogTime : null;
}

/** Returns null when systemd did not start this process, or expects no notifications. */
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
    // If it died, it is restarted for the next message.
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
