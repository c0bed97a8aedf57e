/**
 * Live updates: /api/v1/events, or polling every few seconds where that does not work. All components of a window share one connection,
 * and a hidden window closes it: browsers allow six per server across all windows. A connection that the network dropped silently looks
 * open to the browser, so it is reopened after three missed heartbeats.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { apiUrl } from './api.js';
import type { Scope } from './queries.js';
import type { DeliveryChanged, SubmissionCreated, SubmissionsTouched } from './wire.js';

const pollMs = 10_000;
const againMs = 30_000;
/** The server sends a heartbeat every 15 s. */
const silenceMs = 45_000;
/** Minimum interval between refreshes of constantly changing data: nobody reads faster. */
const restMs = 2_000;

export interface LiveWork {
  readonly onSubmission?: (event: SubmissionCreated) => void;
  readonly onDelivery?: (event: DeliveryChanged) => void;
  /** Submissions were moved, read, starred, assigned, labelled or annotated. */
  readonly onTouched?: (event: SubmissionsTouched) => void;
  /** The audit log has a new entry. */
  readonly onAudited?: () => void;
  /** Events may have been missed: after a gap, and repeatedly while there is no connection. */
  readonly onMissed?: () => void;
}

interface Listener {
  readonly hears: (event: { readonly form_id: string; readonly project_id: string }) => boolean;
  readonly work: () => LiveWork;
}

const contentOf = <Content>(event: Event): Content | null => {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as Content;
  } catch {
    return null;
  }
};

const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let isConnected = false;
let hasMissed = false;
let source: EventSource | null = null;
let again: ReturnType<typeof setTimeout> | undefined;
let silence: ReturnType<typeof setTimeout> | undefined;
let poll: ReturnType<typeof setInterval> | undefined;

function setConnected(now: boolean): void {
  if (now === isConnected) return;
  isConnected = now;
  for (const watcher of watchers) watcher();
}

function tellMissed(): void {
  for (const { work } of listeners) work().onMissed?.();
}

function close(): void {
  clearTimeout(again);
  clearTimeout(silence);
  source?.close();
  source = null;
  hasMissed = true;
  setConnected(false);
}

function onSign(): void {
  clearTimeout(silence);
  silence = setTimeout(open, silenceMs);
}

/** Forwards an event to the listeners it concerns. */
function pass<Content extends { readonly form_id: string; readonly project_id: string }>(
  stream: EventSource,
  name: string,
  workOf: (work: LiveWork) => ((content: Content) => void) | undefined,
): void {
  stream.addEventListener(name, (event) => {
    onSign();
    const content = contentOf<Content>(event);
    if (content === null) return;
    for (const { hears, work } of listeners) if (hears(content)) workOf(work())?.(content);
  });
}

function open(): void {
  close();
  const stream = new EventSource(apiUrl('/events'));
  source = stream;
  onSign();
  stream.onopen = () => {
    onSign();
    setConnected(true);
    if (hasMissed) tellMissed();
    hasMissed = false;
  };
  stream.onerror = () => {
    setConnected(false);
    hasMissed = true;
    // The browser reconnects by itself, but not after an error response.
    if (stream.readyState === EventSource.CLOSED) again = setTimeout(open, againMs);
  };
  stream.addEventListener('heartbeat', onSign);
  pass<SubmissionCreated>(stream, 'submission.created', ({ onSubmission }) => onSubmission);
  pass<DeliveryChanged>(stream, 'delivery.changed', ({ onDelivery }) => onDelivery);
  stream.addEventListener('audit.recorded', () => {
    onSign();
    for (const { work } of listeners) work().onAudited?.();
  });
  pass<SubmissionsTouched>(stream, 'submission.changed', ({ onTouched }) => onTouched);
}

const onVisibility = (): void => (document.hidden ? close() : open());

function start(): void {
  poll = setInterval(() => {
    if (!document.hidden && source?.readyState !== EventSource.OPEN) tellMissed();
  }, pollMs);
  document.addEventListener('visibilitychange', onVisibility);
  if (document.hidden) return;
  open();
  hasMissed = false;
}

function stop(): void {
  clearInterval(poll);
  document.removeEventListener('visibilitychange', onVisibility);
  close();
}

function listen(listener: Listener): () => void {
  if (listeners.size === 0) start();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) stop();
  };
}

const watch = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** `scope` null: do not listen. Returns whether the stream is connected. */
export function useLive(scope: Scope | null, work: LiveWork): boolean {
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const isOff = scope === null;
  const formId = scope?.formId;
  const projectId = scope?.projectId;
  useEffect(() => {
    if (isOff) return;
    return listen({
      hears: (event) =>
        (formId === undefined || event.form_id === formId) &&
        (projectId === undefined || event.project_id === projectId),
      work: () => latest.current,
    });
  }, [isOff, formId, projectId]);
  return useSyncExternalStore(watch, () => isConnected) && !isOff;
}

/** Above this, new rows on top move nothing that is being read. */
const topPx = 200;

/**
 * For lists that refetch at their top: coalesces events, and does not move rows that are being read further down. What came meanwhile
 * is shown once the page is scrolled back to its top.
 */
export function useCoalescedAtTop(work: () => void): () => void {
  const isWaiting = useRef(false);
  const look = useCoalesced(() => {
    isWaiting.current = window.scrollY > topPx;
    if (!isWaiting.current) work();
  });
  useEffect(() => {
    const onScroll = () => {
      if (isWaiting.current && window.scrollY <= topPx) look();
    };
    window.addEventListener('scroll', onScroll);
    return () => window.removeEventListener('scroll', onScroll);
  });
  return look;
}

/** Coalesces many events: runs soon after the first, then at most every two seconds, and always after the last. */
export function useCoalesced(work: () => void): () => void {
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const lastAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        lastAt.current = Date.now();
        latest.current();
      },
      Math.max(0, lastAt.current + restMs - Date.now()),
    );
  };
}
