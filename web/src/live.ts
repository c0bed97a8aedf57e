/**
 * What happens at this moment: /api/v1/events, or asking again every few seconds where that does not work. A hidden
 * window lets its connection go: browsers open six to a server, for all windows together. A connection that carries nothing any more,
 * because a network forgot it, looks open to the browser: it is given up when the server's heartbeat has not come three times.
 */
import { useEffect, useRef, useState } from 'react';
import { apiUrl } from './api.js';
import { type Scope, wholeAccount } from './queries.js';
import type { DeliveryChanged, SubmissionCreated, SubmissionsTouched } from './wire.js';

const pollMs = 10_000;
const againMs = 30_000;
/** The server sends a heartbeat every 15 s. */
const silenceMs = 45_000;
/** Between two looks at something that changes all the time: not more often than somebody reads it. */
const restMs = 2_000;

export interface LiveWork {
  readonly onSubmission?: (event: SubmissionCreated) => void;
  readonly onDelivery?: (event: DeliveryChanged) => void;
  /** Somebody moved, read, starred, assigned, labelled or annotated submissions. */
  readonly onTouched?: (event: SubmissionsTouched) => void;
  /** Something may have been missed: after a pause, and again and again while there is no connection. */
  readonly onMissed?: () => void;
}

const contentOf = <Content>(event: Event): Content | null => {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as Content;
  } catch {
    return null;
  }
};

/** null: nobody listens. True: connected. */
export function useLive(owner: Scope | null, work: LiveWork): boolean {
  const [isConnected, setConnected] = useState(false);
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const isOff = owner === null;
  const { formId = null, projectId = null } = owner ?? wholeAccount;
  useEffect(() => {
    if (isOff) return;
    let source: EventSource | null = null;
    let again: ReturnType<typeof setTimeout> | undefined;
    let silence: ReturnType<typeof setTimeout> | undefined;
    let hasMissed = false;
    const close = () => {
      clearTimeout(again);
      clearTimeout(silence);
      source?.close();
      source = null;
      hasMissed = true;
      setConnected(false);
    };
    const onSign = () => {
      clearTimeout(silence);
      silence = setTimeout(open, silenceMs);
    };
    const open = () => {
      close();
      source = new EventSource(apiUrl('/events', { form_id: formId, project_id: projectId }));
      onSign();
      source.onopen = () => {
        onSign();
        setConnected(true);
        if (hasMissed) latest.current.onMissed?.();
        hasMissed = false;
      };
      source.onerror = () => {
        setConnected(false);
        hasMissed = true;
        // The browser tries again by itself, but not after a refusal.
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, againMs);
      };
      source.addEventListener('heartbeat', onSign);
      source.addEventListener('submission.created', (event) => {
        onSign();
        const content = contentOf<SubmissionCreated>(event);
        if (content !== null) latest.current.onSubmission?.(content);
      });
      source.addEventListener('delivery.changed', (event) => {
        onSign();
        const content = contentOf<DeliveryChanged>(event);
        if (content !== null) latest.current.onDelivery?.(content);
      });
      source.addEventListener('submission.changed', (event) => {
        onSign();
        const content = contentOf<SubmissionsTouched>(event);
        if (content !== null) latest.current.onTouched?.(content);
      });
    };
    const poll = setInterval(() => {
      if (!document.hidden && source?.readyState !== EventSource.OPEN) latest.current.onMissed?.();
    }, pollMs);
    const onVisibility = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', onVisibility);
    if (!document.hidden) {
      open();
      hasMissed = false;
    }
    return () => {
      clearInterval(poll);
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [isOff, formId, projectId]);
  return isConnected;
}

/** The work of many events as one: soon after the first, then at most every two seconds, and always after the last. */
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
