/**
 * Pauses between two looks at what a test waits for: short at first, because most things happen at once, and then longer, because looking
 * takes processor time from what it waits for.
 */
const firstMs = 10;
/** Short enough to see what lasts for a fifth of a second. */
const longestMs = 100;

export function pauses(): () => Promise<void> {
  let nextMs = firstMs;
  return () => {
    const ms = nextMs;
    nextMs = Math.min(nextMs * 1.5, longestMs);
    return new Promise((resolve) => setTimeout(resolve, ms));
  };
}
