/** Splits long work into short pieces: a task checks whether its piece is over, and then lets other tasks run. */

/** A quarter of the longest time that anything may block the event loop: one more step can still be long. */
const longestPieceMs = 5;

export interface Pace {
  isOver(): boolean;
  /** Resolves when the next piece can start: after everything else that was waiting has run. */
  rest(): Promise<void>;
}

/** Each turn of the event loop runs one piece of long work: five concurrent exports take five turns. */
const resting: (() => void)[] = [];

function wakeNext(): void {
  resting.shift()?.();
  if (resting.length > 0) setImmediate(wakeNext);
}

/** Resolves in a turn of the event loop in which no other long work runs. */
export const ownTurn = (): Promise<void> =>
  new Promise<void>((resolve) => {
    resting.push(resolve);
    if (resting.length === 1) setImmediate(wakeNext);
  });

export function createPace(pieceMs = longestPieceMs): Pace {
  let beganAt = performance.now();
  return {
    isOver: () => performance.now() - beganAt >= pieceMs,
    async rest() {
      await ownTurn();
      beganAt = performance.now();
    },
  };
}
