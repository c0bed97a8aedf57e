/** Files of NAME=value lines, as Docker and systemd read them. */
export interface EnvLines {
  readonly set: Readonly<Record<string, string>>;
  /** Names in commented-out lines. */
  readonly suggested: readonly string[];
}

export function envLines(text: string): EnvLines {
  const set: Record<string, string> = {};
  const suggested: string[] = [];
  for (const line of text.split('\n')) {
    const [, comment, name = '', value = ''] = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    if (comment === undefined) set[name] = value;
    else suggested.push(name);
  }
  return { set, suggested };
}
