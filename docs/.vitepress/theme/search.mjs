/**
 * How the search understands what is typed, and what comes first. This is not in the config: VitePress would write its functions into each
 * page as text, which the policy of the service forbids to run.
 */

/** Of questions: they are on every page, so they find nothing. */
const stopWords = new Set(
  'a about an and are as at be been by can did do does for from had has have how i if in into is it its me mean means my not of on or our should so that the their them then there these this to use using was we were what when where which who why will with would you your'.split(
    ' ',
  ),
);

/** "quarantined" finds "quarantine": what is left is the beginning of both. */
const stemOf = (word) =>
  word
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/(?<=...)(ies|ied|y)$/, '')
    .replace(/(?<=....)(ing|ed|e)$/, '')
    .replace(/(?<=...[^isu])s$/, '');

const processTerm = (typed) => {
  const word = typed.toLowerCase();
  return stopWords.has(word) ? null : stemOf(word);
};

/** People who search want to do something. What explains why, and what tests showed, comes after that. */
const weights = [
  [/\/explanation\/(faults|benchmarks)$/, 0.3],
  [/\/adr\//, 0.3],
  [/\/(tutorial|guides)\//, 1.6],
  [/\/reference\/api\//, 0.7],
  [/\/(explanation|runbooks|migrate)\//, 0.8],
];

const boostDocument = (id) => {
  const page = id.replace(/#.*/, '');
  return weights.find(([path]) => path.test(page))?.[1] ?? 1;
};

const searchOptions = {
  processTerm,
  boostDocument,
  boost: { title: 4, text: 2, titles: 1.5 },
  weights: { prefix: 0.8, fuzzy: 0.1 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
};

/** The data of the site with these options. */
export const withSearch = (site) => ({
  ...site,
  themeConfig: {
    ...site.themeConfig,
    search: { ...site.themeConfig.search, options: { miniSearch: { searchOptions } } },
  },
});
