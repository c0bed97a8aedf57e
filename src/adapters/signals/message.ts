/**
 * What one process tells the others in one message: the signals of a few milliseconds, and the kinds that it wants to
 * hear of. Everything that is gathered is bounded by the length of one message, also while nothing can be sent.
 */
import type { Signal } from '../../ports/signals.js';

export type Kind = Signal['kind'];

export interface Message {
  readonly from: string;
  /** The kinds that the sender listens to; missing: as before. */
  readonly listens?: readonly Kind[];
  /** Asks the others to say what they listen to. */
  readonly asks?: true;
  readonly signals: readonly Signal[];
}

/** Names and brackets around what is gathered. */
const frameBytes = 512;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

export interface Gathering {
  add(signal: Signal): void;
  /** The signals so far, which are then forgotten. */
  take(): Signal[];
}

export function createGathering(maxMessageBytes: number): Gathering {
  const maxBytes = maxMessageBytes - frameBytes;
  const plain = new Set<'intake-changed' | 'mails-ready' | 'files-changed'>();
  const urls = new Set<string>();
  let isForAnyUrl = false;
  let changed = new Set<string>();
  let received: Signal[] = [];
  let bytes = 0;

  const fits = (value: unknown): boolean => {
    const more = bytesOf(value);
    if (bytes + more > maxBytes) return false;
    bytes += more;
    return true;
  };

  function addUrls(added: readonly string[]): void {
    if (isForAnyUrl) return;
    if (added.length > 0) {
      const isAllIn = added.every((url) => urls.has(url) || (fits(url) && urls.add(url)));
      if (isAllIn) return;
    }
    // None named, or too many to name: then it is not known for which.
    isForAnyUrl = true;
    for (const url of urls) bytes -= bytesOf(url);
    urls.clear();
  }

  return {
    add(signal) {
      if (signal.kind === 'deliveries-ready') addUrls(signal.urls);
      else if (signal.kind === 'submission-received') {
        if (fits(signal)) received.push(signal);
      } else if (signal.kind === 'delivery-changed') {
        if (!changed.has(signal.submissionId) && fits(signal)) changed.add(signal.submissionId);
      } else plain.add(signal.kind);
    },

    take() {
      const signals: Signal[] = [...plain].map((kind) => ({ kind }));
      if (isForAnyUrl || urls.size > 0) signals.push({ kind: 'deliveries-ready', urls: [...urls] });
      for (const submissionId of changed) signals.push({ kind: 'delivery-changed', submissionId });
      signals.push(...received);
      plain.clear();
      urls.clear();
      isForAnyUrl = false;
      changed = new Set();
      received = [];
      bytes = 0;
      return signals;
    },
  };
}

/** Everything that a message may say, and nothing else; null: this is none. Others than our processes may send here. */
export function readMessage(text: string): Message | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(read) || !isText(read.from)) return null;
  return {
    from: read.from,
    signals: Array.isArray(read.signals) ? read.signals.flatMap((value) => readSignal(value) ?? []) : [],
    ...(Array.isArray(read.listens) ? { listens: read.listens.filter(isKind) } : {}),
    ...(read.asks === true ? { asks: true } : {}),
  };
}

const kinds: Readonly<Record<Kind, true>> = {
  'intake-changed': true,
  'deliveries-ready': true,
  'mails-ready': true,
  'files-changed': true,
  'submission-received': true,
  'delivery-changed': true,
};

function readSignal(value: unknown): Signal | null {
  if (!isRecord(value) || !isKind(value.kind)) return null;
  const { kind, urls, accountId, projectId, formId, submissionId, createdAt } = value;
  switch (kind) {
    case 'deliveries-ready':
      return Array.isArray(urls) && urls.every(isText) ? { kind, urls } : null;
    case 'delivery-changed':
      return isText(submissionId) ? { kind, submissionId } : null;
    case 'submission-received': {
      const isWhole = isText(accountId) && isText(projectId) && isText(formId) && isText(submissionId);
      if (!isWhole || typeof createdAt !== 'number') return null;
      return { kind, accountId, projectId, formId, submissionId, createdAt };
    }
    default:
      return { kind };
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isKind = (value: unknown): value is Kind => isText(value) && Object.hasOwn(kinds, value);
