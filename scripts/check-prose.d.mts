/** What breaks the rules of scripts/prose/rules.mjs in a file of this name and content: `name:line: what`. */
export function checkText(name: string, content: string): readonly string[];
