/** Compares two forms of one server by sending submissions to both, in alternating order. */
import { median, round } from '../numbers.mjs';
import { untilIdle } from '../servers/processes.mjs';
import { burst } from './load.mjs';

const connections = 64;

/** The rate of the second form relative to the first. */
export async function inTurns(inlet, forms, { rounds, seconds }) {
  const raw = forms.map(() => []);
  for (const { path } of forms) await burst(inlet.url + path, connections, 1);
  for (let i = 0; i < rounds; i += 1) {
    for (const which of i % 2 === 0 ? [0, 1] : [1, 0]) {
      await untilIdle(inlet.pid);
      const { perSecond } = await burst(inlet.url + forms[which].path, connections, seconds);
      raw[which].push(round(perSecond, 0));
    }
  }
  const [first, second] = raw;
  const ratios = second.map((perSecond, i) => round(perSecond / first[i], 3));
  const ratio = median(ratios);
  return { ratio, ratios, raw, inWords: `${ratio} (${median(second)}/s of ${median(first)}/s)` };
}
