/** Long work in short pieces: a task asks whether its piece is over, and then lets other tasks run. */

/** A fourth of what nothing may take: one step more may still be a long one. */
const longestPieceMs = 5;

export interface Pace {
  isOver(): boolean;
  /** Resolves when the next piece may begin: after whatever else was waiting has run. */
  rest(): Promise<void>;
}

/** Of all that takes long, one piece in each turn of the event loop: five exports at once take five turns. */
const resting: (() => void)[] = [];

function wakeNext(): void {
  resting.shift()?.();
  if (resting.length > 0) setImmediate(wakeNext);
}

/** Resolves in a turn of the event loop in which nothing else of this kind is done. */
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
