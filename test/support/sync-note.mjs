/** Where the hook writes: one JSON line per event, from all threads. */
import { appendFileSync } from 'node:fs';

/** One clock for all threads, in milliseconds with fractions. */
export const now = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Called when the event has ended, or just before it starts if its end cannot be awaited. */
export const note = (event) =>
  appendFileSync(process.env.SYNC_TRACE_FILE, `${JSON.stringify({ text: '', ...event, end: now() })}\n`);
