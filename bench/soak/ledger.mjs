/** Records the acknowledged submissions and deletions of a soak, and so what the server must have at the end. */

export function createLedger() {
  /** Submission id → what was acknowledged. */
  const kept = new Map();
  /** Ids whose deletion was acknowledged, and ids whose deletion got no confirmation, which may or may not still exist. */
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
    /** Ids that may be deleted, oldest first. For the healthy endpoint only what has arrived, since all of it must arrive. */
    removable({ keep, olderThan, hasArrived }) {
      const going = [];
      let excess = kept.size - keep;
      for (const submission of kept.values()) {
        if (going.length >= 100 || (excess <= 0 && submission.at >= olderThan)) break;
        const isFree = submission.form.receiver !== 'healthy' || hasArrived(submission.id);
        // Unsure ones are deleted again: deletion is idempotent.
        if (!isFree) continue;
        going.push(submission.id);
        excess -= 1;
      }
      return going;
    },
    /** `isSure`: the server confirmed the deletion. */
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
