/**
 * Code in the colours of the dashboard. The highlighter writes a colour into the style of every word, which the policy of the service
 * forbids; these colours are only marks, which become classes.
 */
const classes = { '#000001': 'comment', '#000002': 'text', '#000003': 'word', '#000004': 'name' };

const scopes = {
  '#000001': ['comment', 'punctuation.definition.comment'],
  '#000002': ['string', 'constant.other.symbol', 'markup.inline.raw'],
  '#000003': [
    'keyword',
    'storage',
    'constant.language',
    'constant.numeric',
    'entity.name.tag',
    'support.type.property-name',
    'variable.language',
  ],
  '#000004': ['entity.name.function', 'support.function', 'entity.other.attribute-name', 'entity.name.type'],
};

export const codeTheme = {
  name: 'inlet',
  type: 'light',
  fg: '#000000',
  bg: '#ffffff',
  settings: Object.entries(scopes).map(([foreground, scope]) => ({ scope, settings: { foreground } })),
};

const withoutStyle = (node) => {
  delete node.properties.style;
};

export const styleless = {
  pre: withoutStyle,
  code: withoutStyle,
  span(node) {
    const [color = ''] = /#[0-9a-f]{6}/i.exec(node.properties.style ?? '') ?? [];
    withoutStyle(node);
    const name = classes[color.toLowerCase()];
    if (name !== undefined) this.addClassToHast(node, `code-${name}`);
  },
};
