/** What the clients of a soak were promised, and what they took back: what the server must have at the end. */

export function createLedger() {
  /** Submission id → what was acknowledged. */
  const kept = new Map();
  /** Ids whose deletion was acknowledged, and those where the answer never came: they may be there or not. */
  const deleted = new Set();
  const unsure = new Set();
  let acknowledged = 0;
  return {
    kept,
    deleted,
    unsure,
    acknowledged(submission) {
      acknowledged += 1;
      kept.set(submission.id, submission);
    },
    count: () => acknowledged,
    /** Those that may go, the oldest first: of the good receiver only what has arrived, so that all of it must arrive. */
    removable({ keep, olderThan, hasArrived }) {
      const going = [];
      let excess = kept.size - keep;
      for (const submission of kept.values()) {
        if (going.length >= 100 || (excess <= 0 && submission.at >= olderThan)) break;
        const isFree = submission.form.receiver !== 'healthy' || hasArrived(submission.id);
        // Those that are unsure are asked for again: deleting twice is deleting.
        if (!isFree) continue;
        going.push(submission.id);
        excess -= 1;
      }
      return going;
    },
    /** `isSure`: the server said that it has. */
    removed(ids, isSure) {
      for (const id of ids) {
        if (!isSure) unsure.add(id);
        else {
          kept.delete(id);
          unsure.delete(id);
          deleted.add(id);
        }
      }
    },
  };
}
