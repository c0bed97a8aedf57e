/** Closes resources in reverse order of opening, even if some of them fail to close. */
export interface Closer {
  /** Registers how to close what was just opened. */
  add(name: string, close: () => Promise<void> | void): void;
  /** Closes everything, last opened first. Later calls wait for the first. */
  close(onError: (name: string, error: unknown) => void): Promise<void>;
}

export function createCloser(): Closer {
  const stack: { name: string; close: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | null = null;
  return {
    add(name, close) {
      stack.push({ name, close });
    },
    close(onError) {
      closing ??= (async () => {
        for (let entry = stack.pop(); entry; entry = stack.pop()) {
          try {
            await entry.close();
          } catch (error) {
            onError(entry.name, error);
          }
        }
      })();
      return closing;
    },
  };
}
