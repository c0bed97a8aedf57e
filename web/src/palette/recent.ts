/** The keys of recently opened entries, newest first. Only keys: what they stand for is fetched again. */
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
    // Storage is full or blocked: nothing is remembered.
  }
}
