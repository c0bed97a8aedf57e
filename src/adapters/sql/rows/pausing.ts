/**
 * Deliveries of submissions in spam or trash wait without losing their place: a paused row has its queue number plus 100. No
 * process looks for work there, so claiming needs no extra condition.
 */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../schema.js';

const offset = sql.raw('100');

/** The queue number of a row while it is paused. */
export const pausedQueue = (queue: number): number => queue + 100;

const isSetAside = sql<SqlBool>`EXISTS (SELECT 1 FROM submissions
  WHERE submissions.id = deliveries.submission_id AND submissions.folder IN ('spam', 'trash'))`;

/** Whether the delivery's submission is not in spam or trash. */
export const isNotSetAside = sql<SqlBool>`NOT ${isSetAside}`;

/** False while the row waits for its submission to leave spam or trash. */
export const isNotPaused = sql<SqlBool>`deliveries.queue < ${offset}`;

/** The number of a row that moves to `queue`: a row that was paused while it was being sent stays paused. */
export const keptPaused = (queue: string): string => `${queue} + CASE WHEN queue >= 100 THEN 100 ELSE 0 END`;

/** Pauses or resumes the pending deliveries of these submissions, depending on their folders. */
export async function pauseOrResume(db: Kysely<Schema>, submissionIds: readonly string[]): Promise<void> {
  const move = (to: RawBuilder<unknown>, which: RawBuilder<unknown>) =>
    sql`UPDATE deliveries SET queue = ${to}
      WHERE submission_id IN (${sql.join(submissionIds)}) AND state = 'pending' AND ${which}`.execute(db);
  await move(sql`queue + ${offset}`, sql`queue < ${offset} AND ${isSetAside}`);
  await move(sql`queue - ${offset}`, sql`queue >= ${offset} AND ${isNotSetAside}`);
}
