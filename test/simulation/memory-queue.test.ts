/** The queue of the simulation keeps the same contract as the database. */
import { randomUUID } from 'node:crypto';
import { laneOf, queues } from '../../src/model/delivery.js';
import { queueContract } from '../contracts/store/queue.js';
import { epoch } from '../contracts/store/samples.js';
import { MemoryQueue } from '../support/memory-queue.js';

queueContract(async () => {
  const queue = new MemoryQueue();
  return {
    queue,
    another: async () => queue,
    async add(wishes) {
      const submissionId = randomUUID();
      const deliveries = wishes.map((wish, i) => ({
        id: randomUUID(),
        submissionId,
        formId: 'form',
        projectId: 'project',
        destinationId: 'destination',
        kind: 'webhook' as const,
        lane: laneOf('https://receiver.test', 'destination'),
        target: i === 0 ? ('form' as const) : ('project' as const),
        url: 'https://receiver.test/',
        body: '{}',
        state: 'pending' as const,
        attempt: 0,
        extraAttempts: 0,
        resumeAt: null,
        heldUntil: null,
        trigger: 'auto' as const,
        queue: queues.first,
        nextAttemptAt: epoch,
        isInFlight: false,
        createdAt: epoch,
        ...wish,
      }));
      queue.add(deliveries);
      return deliveries;
    },
    read: async (id) => queue.read(id),
    submissionState: async (submissionId) => queue.submissionStates.get(submissionId) ?? null,
    resend: async (delivery, change, now) => queue.resend({ ...delivery, ...change }, now),
    dispose: async () => {},
  };
});
