/** The keys of what was opened lately, newest first. Keys alone: what they stand for is asked from the server again. */
const settingName = 'inlet.recent';
const maxRecent = 8;

export function recentKeys(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(settingName) ?? '[]');
    return Array.isArray(value) ? value.filter((key) => typeof key === 'string').slice(0, maxRecent) : [];
  } catch {
    return [];
  }
}

export function rememberKey(key: string): void {
  const keys = [key, ...recentKeys().filter((other) => other !== key)].slice(0, maxRecent);
  try {
    localStorage.setItem(settingName, JSON.stringify(keys));
  } catch {
    // A full or forbidden store: nothing is remembered.
  }
}
