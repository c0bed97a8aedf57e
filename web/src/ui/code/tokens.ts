/**
 * Splits code into tokens, only for colouring: a few rules per language, tried in order from left to right. Text that no rule matches
 * stays plain, and the tokens together are always the unchanged code.
 */
export type Meaning = 'comment' | 'text' | 'word' | 'number' | 'tag' | 'attribute' | 'plain';

export interface Token {
  readonly meaning: Meaning;
  readonly text: string;
}

type Rule = readonly [meaning: Meaning, shape: RegExp];

/** A word after a dot is a property name, not a keyword: `Buffer.from`. */
const words = (list: string): RegExp => new RegExp(`(?<!\\.)\\b(?:${list.replaceAll(' ', '|')})\\b`, 'y');
const doubleQuoted: Rule = ['text', /"(?:[^"\\\n]|\\.)*"/y];
const singleQuoted: Rule = ['text', /'(?:[^'\\\n]|\\.)*'/y];
const number: Rule = ['number', /\b\d[\d_.]*\b/y];
/** Matches a whole name, so that no keyword is found inside it. */
const name: Rule = ['plain', /[\p{L}_$][\p{L}\p{N}_$]*/uy];
const hashComment: Rule = ['comment', /#[^\n]*/y];
const slashComment: Rule = ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\//y];

const javascript: readonly Rule[] = [
  slashComment,
  singleQuoted,
  doubleQuoted,
  ['text', /`(?:[^`\\]|\\.)*`/y],
  [
    'word',
    words(
      'as async await break case catch const continue default else export false finally for from function if import in instanceof let new null of return static switch this throw true try typeof undefined var while yield',
    ),
  ],
  number,
  name,
];

/** Elements within code: tags and attribute names. */
const elements: readonly Rule[] = [
  ['tag', /<\/?[A-Za-z][\w.:-]*|\/?>(?=\s*(?:[<{})\n]|$))|\/>/y],
  ['attribute', /[\w@:-]+(?==["{])/y],
];

const markup: readonly Rule[] = [
  ['comment', /<!--[\s\S]*?-->/y],
  ['tag', /<\/?[A-Za-z][\w.:-]*|\/?>/y],
  doubleQuoted,
  ['attribute', /(?<=\s)[\w@:][\w@:.-]*(?=[=\s/>])(?=[^<>]*>)/y],
  ['word', /\{[#:/@]\w+|\{|\}/y],
  ['plain', /[^<>"{}\s]+/y],
];

const languages: Readonly<Record<string, readonly Rule[]>> = {
  javascript,
  jsx: [...elements, ...javascript],
  html: markup,
  bash: [singleQuoted, doubleQuoted, hashComment, ['word', words('curl')], ['attribute', /-{1,2}\w+/y], name],
  python: [
    hashComment,
    ['text', /"""[\s\S]*?"""/y],
    singleQuoted,
    doubleQuoted,
    [
      'word',
      words(
        'and any as class def else except False finally for from if import in is lambda None not or pass raise return True try while with yield',
      ),
    ],
    number,
    name,
  ],
  php: [
    ['tag', /<\?php\b|\?>/y],
    slashComment,
    hashComment,
    singleQuoted,
    doubleQuoted,
    ['attribute', /\$\w+/y],
    ['word', words('array bool echo else false function if isset new null return string throw true use')],
    number,
    name,
  ],
  go: [
    slashComment,
    doubleQuoted,
    ['text', /`[^`]*`/y],
    [
      'word',
      words('bool byte const else false for func if import nil package range return string true type var'),
    ],
    number,
    name,
  ],
  ruby: [
    hashComment,
    singleQuoted,
    doubleQuoted,
    ['word', words('and class def do else end false if module nil not or require return self true unless')],
    number,
    name,
  ],
};

const isScript = /^<script\b[^>]*>\n([\s\S]*?)<\/script>/gm;

function tokensBy(rules: readonly Rule[], code: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < code.length) {
    let token: Token = { meaning: 'plain', text: code.charAt(at) };
    for (const [meaning, shape] of rules) {
      shape.lastIndex = at;
      const [text = ''] = shape.exec(code) ?? [];
      if (text === '') continue;
      token = { meaning, text };
      break;
    }
    at += token.text.length;
    const last = tokens.at(-1);
    if (last?.meaning === token.meaning && token.meaning === 'plain')
      tokens[tokens.length - 1] = { meaning: 'plain', text: last.text + token.text };
    else tokens.push(token);
  }
  return tokens;
}

/** Elements, and the scripts inside them. */
function markupTokens(code: string): readonly Token[] {
  const tokens: Token[] = [];
  let from = 0;
  const take = (rules: readonly Rule[], to: number): void => {
    tokens.push(...tokensBy(rules, code.slice(from, to)));
    from = to;
  };
  for (const { index, 0: whole, 1: script = '' } of code.matchAll(isScript)) {
    const start = index + whole.lastIndexOf(script, whole.length - '</script>'.length);
    take(markup, start);
    take(javascript, start + script.length);
  }
  take(markup, code.length);
  return tokens;
}

/** Unknown languages stay plain. */
export function tokensOf(code: string, language: string): readonly Token[] {
  if (['html', 'vue', 'svelte', 'astro'].includes(language)) return markupTokens(code);
  return tokensBy(languages[language] ?? [], code);
}
