/**
 * Gathers the signals of a few milliseconds into one message to the other processes. What is gathered never exceeds the
 * length of one message, also while nothing can be sent.
 */
import type { Signal } from '../../ports/signals.js';

type Kind = Signal['kind'];

/** For names and brackets around the gathered signals. */
const frameBytes = 512;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** Sent as they are, because they cannot be merged with others. */
const wholeKinds = [
  'submission-received',
  'destination-changed',
  'submissions-changed',
  'audit-recorded',
] as const;
type WholeSignal = Extract<Signal, { kind: (typeof wholeKinds)[number] }>;
const isWhole = (signal: Signal): signal is WholeSignal => wholeKinds.some((kind) => kind === signal.kind);

export interface Gathering {
  add(signal: Signal): void;
  /** Returns the signals gathered so far, and starts afresh. */
  take(): Signal[];
}

export function createGathering(maxMessageBytes: number): Gathering {
  const maxBytes = maxMessageBytes - frameBytes;
  const plain = new Set<'intake-changed' | 'files-changed'>();
  const lanes = new Set<string>();
  let isForAnyLane = false;
  let changed = new Set<string>();
  let received: Signal[] = [];
  let bytes = 0;

  const fits = (value: unknown): boolean => {
    const more = bytesOf(value);
    if (bytes + more > maxBytes) return false;
    bytes += more;
    return true;
  };

  function addLanes(added: readonly string[]): void {
    if (isForAnyLane) return;
    if (added.length > 0) {
      const isAllIn = added.every((lane) => lanes.has(lane) || (fits(lane) && lanes.add(lane)));
      if (isAllIn) return;
    }
    // No lane is named, or too many to name: the signal then stands for any lane.
    isForAnyLane = true;
    for (const lane of lanes) bytes -= bytesOf(lane);
    lanes.clear();
  }

  return {
    add(signal) {
      if (signal.kind === 'deliveries-ready') addLanes(signal.lanes);
      else if (isWhole(signal)) {
        if (fits(signal)) received.push(signal);
      } else if (signal.kind === 'delivery-changed') {
        if (!changed.has(signal.submissionId) && fits(signal)) changed.add(signal.submissionId);
      } else plain.add(signal.kind);
    },

    take() {
      const signals: Signal[] = [...plain].map((kind) => ({ kind }));
      if (isForAnyLane || lanes.size > 0) signals.push({ kind: 'deliveries-ready', lanes: [...lanes] });
      for (const submissionId of changed) signals.push({ kind: 'delivery-changed', submissionId });
      signals.push(...received);
      plain.clear();
      lanes.clear();
      isForAnyLane = false;
      changed = new Set();
      received = [];
      bytes = 0;
      return signals;
    },
  };
}

export const writeMessage = (from: string, signals: readonly Signal[]): string =>
  JSON.stringify({ from, signals });

/** Reads the signals of a message and ignores everything else. Other programs may send here, too. */
export function readMessage(text: string): readonly Signal[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isRecord(read) || !Array.isArray(read.signals)) return [];
  return read.signals.flatMap((value) => readSignal(value) ?? []);
}

const kinds: Readonly<Record<Kind, true>> = {
  'intake-changed': true,
  'deliveries-ready': true,
  'files-changed': true,
  'submission-received': true,
  'delivery-changed': true,
  'destination-changed': true,
  'submissions-changed': true,
  'audit-recorded': true,
};

function readSignal(value: unknown): Signal | null {
  if (!isRecord(value) || !isKind(value.kind)) return null;
  const { kind, lanes, accountId, projectId, formId, submissionId, createdAt } = value;
  const { destinationId, change, submissionIds, seq, action } = value;
  switch (kind) {
    case 'deliveries-ready':
      // A process of the previous release names addresses instead: there may be deliveries in any lane.
      if (lanes === undefined) return { kind, lanes: [] };
      return Array.isArray(lanes) && lanes.every(isText) ? { kind, lanes } : null;
    case 'delivery-changed':
      return isText(submissionId) ? { kind, submissionId } : null;
    case 'submission-received': {
      const isWhole = isText(accountId) && isText(projectId) && isText(formId) && isText(submissionId);
      if (!isWhole || typeof createdAt !== 'number') return null;
      return { kind, accountId, projectId, formId, submissionId, createdAt };
    }
    case 'submissions-changed': {
      const isNamed = isText(accountId) && isText(projectId) && isText(formId);
      if (!isNamed || !Array.isArray(submissionIds) || !submissionIds.every(isText)) return null;
      return { kind, accountId, projectId, formId, submissionIds };
    }
    case 'destination-changed': {
      const isWhole = isText(accountId) && isText(projectId) && isText(destinationId) && isChange(change);
      if (!isWhole || !(formId === null || isText(formId))) return null;
      return { kind, accountId, projectId, formId, destinationId, change };
    }
    case 'audit-recorded':
      if (!isText(accountId) || typeof seq !== 'number' || !isText(action)) return null;
      return { kind, accountId, seq, action };
    default:
      return { kind };
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isChange = (value: unknown): value is 'failing' | 'recovered' | 'disabled' =>
  value === 'failing' || value === 'recovered' || value === 'disabled';
const isText = (value: unknown): value is string => typeof value === 'string';
const isKind = (value: unknown): value is Kind => isText(value) && Object.hasOwn(kinds, value);
