/** The submissions of a seeded folder: a contact form with a dozen words of prose, the same in every run. */

/** Occurs in every row. */
export const commonWord = 'engine';
/** Occurs in about one row in six. */
export const frequentWord = 'winter';
/** Occurs in forty of the first ten thousand rows, and in none after them. */
export const rareWord = 'zanzibar';

const rareAmong = 10_000;
const rareEvery = 250;

export const rareHits = (rows) => Math.floor((Math.min(rows, rareAmong) - 8) / rareEvery) + 1;

const words = (
  'about account after answer because before better between building calendar could delivery different every example ' +
  'family first following garden general having history house important letter little machine message morning number ' +
  'office order other people place please problem question reason second service should small something station summer ' +
  'system table thank their there thing think through together travel under water week weather where which window winter'
).split(' ');

/** The data of one row, without a random source. Concatenated as text: a million calls of JSON.stringify take seconds. */
export function dataOf(row) {
  let state = Math.imul(row + 1, 2654435761);
  const next = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
  let text = '';
  for (let i = 0; i < 12; i += 1) text += `${words[next(words.length)]} `;
  text += row < rareAmong && row % rareEvery === 7 ? `${commonWord} ${rareWord}` : commonWord;
  const person = `"name":"Visitor ${next(50_000)}","email":"visitor${row}@example.com"`;
  return `{${person},"message":"${text}","age":${18 + next(60)}}`;
}
