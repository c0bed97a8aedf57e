/** Parses as much PromQL as is needed to find the metrics and labels that an expression uses. */

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

export interface Asked {
  readonly selectors: readonly Selector[];
  /** Labels that the results are grouped by. */
  readonly groupedBy: readonly string[];
}

const token =
  /\s*(?:("(?:[^"\\]|\\.)*")|(\[[^\]]*\])|(=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},])|([a-zA-Z_:][\w:]*)|([\d.]+(?:e\d+)?))/y;
const words = new Set(['and', 'or', 'unless', 'bool', 'offset']);
const groupings = new Set(['by', 'without', 'on', 'ignoring']);
const functions = new Set([
  'absent',
  'changes',
  'count',
  'histogram_quantile',
  'increase',
  'max',
  'min',
  'predict_linear',
  'rate',
  'sum',
  'time',
  'topk',
  'vector',
]);

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  const text = expression.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new Error(`not understood at ${at}: ${text.slice(at)}`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

const isName = (text: string): boolean => /^[a-zA-Z_:]/.test(text);

export function parseExpression(expression: string): Asked {
  const tokens = tokensOf(expression);
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  let at = 0;
  const until = (end: string): string[] => {
    const found = tokens.indexOf(end, at);
    if (found === -1) throw new Error(`${end} is missing: ${expression}`);
    const between = tokens.slice(at, found).filter((text) => text !== ',');
    at = found + 1;
    return between;
  };
  while (at < tokens.length) {
    const word = tokens[at] ?? '';
    at += 1;
    if (!isName(word) || words.has(word)) continue;
    const next = tokens[at] ?? '';
    if (groupings.has(word)) {
      at += 1;
      groupedBy.push(...until(')'));
    } else if (next === '(' || groupings.has(next)) {
      if (!functions.has(word)) throw new Error(`${word} is no function we know: ${expression}`);
    } else if (next === '{') {
      at += 1;
      selectors.push({ metric: word, matchers: matchersOf(until('}')) });
    } else {
      selectors.push({ metric: word, matchers: [] });
    }
  }
  return { selectors, groupedBy };
}

function matchersOf(parts: readonly string[]): Selector['matchers'] {
  return Array.from({ length: parts.length / 3 }, (_, i) => {
    const [label = '', sign = '', quoted = ''] = parts.slice(3 * i, 3 * i + 3);
    const text = quoted.slice(1, -1);
    return { label, values: sign.endsWith('~') ? text.split('|') : [text] };
  });
}

/** The series of the text format: name → label → values seen. */
export function parseExposition(text: string): Map<string, Map<string, Set<string>>> {
  const series = new Map<string, Map<string, Set<string>>>();
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line);
    if (!match) continue;
    const [, name = '', labels = ''] = match;
    const seen = series.get(name) ?? new Map<string, Set<string>>();
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      seen.set(label, (seen.get(label) ?? new Set()).add(value));
    }
    series.set(name, seen);
  }
  return series;
}
