/**
 * Why a command failed, in words: one line for each reason, with the next step and no stack trace. Only an internal error
 * shows its stack trace, because that is what the operator should report.
 */
import type { Logger } from '../kernel/log.js';
import { BlobsFull, BlobsUnavailable } from '../ports/blobs.js';
import { StoreFull, StoreUnavailable } from '../ports/store.js';
import { CannotRun, WrongUsage } from './command.js';
import type { Terminal } from './terminal.js';

const failed = 1;
const wronglyCalled = 2;

/** `log` is set where the output is a journal, which gets log lines only. */
export function reportFailure(error: unknown, terminal: Terminal, log: Logger | null): number {
  terminal.progress.clear();
  const report = (...lines: readonly string[]): void => {
    if (log) for (const line of lines) log.fatal(line);
    else terminal.note(...lines);
  };
  if (error instanceof WrongUsage) {
    const help = ['inlet', ...error.words, '--help'].join(' ');
    report(error.message, `See: ${help}`);
    return wronglyCalled;
  }
  const reasons = reasonsOf(error);
  report(...(reasons ?? internalErrorLines(error)));
  return failed;
}

/** Returns null for an internal error. */
export function reasonsOf(error: unknown): readonly string[] | null {
  if (error instanceof CannotRun) return error.lines;
  if (error instanceof StoreFull || error instanceof BlobsFull) {
    return [noSpace];
  }
  if (error instanceof StoreUnavailable || error instanceof BlobsUnavailable) {
    return [firstLine(error.message)];
  }
  const sentence = systemSentence(error);
  return sentence === null ? null : [sentence];
}

export const internalErrorLines = (error: unknown): readonly string[] => [
  'Inlet met an unexpected fault. Please report it with these lines:',
  stackOf(error),
];

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

type SystemError = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
};

/** With DATABASE_URL it may be the database's disk. */
const noSpace =
  'There is no space left on the disk. Free some on the disk of DATA_DIR, or of the database, then try again.';

const pathReasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENOENT: 'it does not exist',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk reports an error',
};

function systemSentence(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code = '', syscall, path, address, port, hostname } = error as SystemError;
  // `bind` when one process listens for several.
  if (syscall === 'listen' || syscall === 'bind') {
    const host = address?.includes(':') ? `[${address}]` : (address ?? 'HOST');
    const where = `${host}:${port ?? ''}`;
    if (code === 'EADDRINUSE') {
      return `Cannot listen on ${where}: the port is in use. Stop the program that has it, or set another PORT (or OPS_PORT).`;
    }
    if (code === 'EACCES') {
      return `Cannot listen on ${where}: permission denied. Set a PORT (or OPS_PORT) above 1023, or allow this user to use it.`;
    }
    return `Cannot listen on ${where}: ${code}. Set HOST to an address of this machine.`;
  }
  if (syscall === 'getaddrinfo') {
    return `Cannot listen on "${hostname ?? 'HOST'}": the name is not known. Set HOST to an address of this machine.`;
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') return noSpace;
  const reason = pathReasons[code];
  return reason && path ? `Cannot use ${path}: ${reason}. Check the path and its permissions.` : null;
}
