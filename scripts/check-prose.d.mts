/** The violations of scripts/prose/rules.mjs in a file with this name and content, as `name:line: what`. */
export function checkText(name: string, content: string): readonly string[];

/** The same for the comments of a source file, of which only the words are checked. */
export function checkComments(name: string, content: string): readonly string[];
