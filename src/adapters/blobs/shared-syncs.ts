/**
 * Runs one sync of a folder at a time. Callers that arrive while it runs share the next one. They must not share
 * the running one: it may have passed the folder before their rename.
 */
export function sharedByFolder(sync: (folder: string) => Promise<void>): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  return (folder) => {
    const shared = waiting.get(folder);
    if (shared) return shared;
    const before = running.get(folder) ?? Promise.resolve();
    const mine: Promise<void> = before
      .catch(() => {})
      .then(() => {
        waiting.delete(folder);
        running.set(folder, mine);
        return sync(folder);
      })
      .finally(() => {
        if (running.get(folder) === mine) running.delete(folder);
      });
    waiting.set(folder, mine);
    return mine;
  };
}
