/** The violations of scripts/prose/rules.mjs in a file with this name and content, as `name:line: what`. */
export function checkText(name: string, content: string): readonly string[];
