/** Plans what destinations are sent when a person has been erased, so that they can erase what they received. Pure. */
import { isoTime } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { type Delivery, laneOf, queues } from '../../model/delivery.js';
import type { Erasure } from '../../model/erasure.js';
import type { ErasureSubscriber } from '../../ports/destinations.js';

/** 40 kB of ids. */
const idsInOne = 1_000;

export function planNotices(
  erasure: Pick<Erasure, 'id'>,
  submissionIds: readonly string[],
  subscribers: readonly ErasureSubscriber[],
  now: number,
): readonly Delivery[] {
  const bodies: string[] = [];
  for (let from = 0; from < submissionIds.length; from += idsInOne)
    bodies.push(bodyOf(erasure, submissionIds.slice(from, from + idsInOne), now));
  return subscribers.flatMap((one) => bodies.map((body) => noticeTo(one, erasure, body, now)));
}

const bodyOf = ({ id }: Pick<Erasure, 'id'>, submissionIds: readonly string[], now: number): string =>
  JSON.stringify({
    event: 'person.erased',
    timestamp: isoTime(now),
    erasure: { id },
    submission_ids: submissionIds,
  });

/** There is no submission any more: the id of the erasure takes its place. */
const noticeTo = (
  { destination, formId }: ErasureSubscriber,
  { id: erasureId }: Pick<Erasure, 'id'>,
  body: string,
  now: number,
): Delivery => ({
  ...{ id: newId(now), submissionId: erasureId, formId, projectId: destination.projectId },
  ...{ destinationId: destination.id, kind: 'webhook', url: destination.config.url, body },
  target: destination.formId === null ? 'project' : 'form',
  lane: laneOf(new URL(destination.config.url).origin, destination.id),
  ...{ state: 'pending', attempt: 0, extraAttempts: 0, resumeAt: null, trigger: 'auto' },
  ...{ queue: queues.first, nextAttemptAt: now, heldUntil: null, isInFlight: false, createdAt: now },
});
