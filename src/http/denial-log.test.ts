import { expect, it } from 'vitest';
import { createDenialLog } from './denial-log.js';

const started = () => {
  const lines: object[] = [];
  let at = 0;
  const deny = createDenialLog({ info: (fields: object) => void lines.push(fields) }, () => at);
  const pass = (ms: number): void => {
    at += ms;
  };
  return { lines, deny, pass };
};

it('logs the first of an address at once, then how many were left out', () => {
  const { lines, deny, pass } = started();
  for (let i = 0; i < 5; i += 1) deny('a', { n: i });
  deny('b', { n: 9 });
  expect(lines).toEqual([{ n: 0 }, { n: 9 }]);
  pass(10_000);
  deny('a', { n: 5 });
  expect(lines.at(-1)).toEqual({ n: 5, same_before: 4 });
});

it('logs a bounded number of lines however many addresses there are, and counts the rest', () => {
  const { lines, deny, pass } = started();
  for (let i = 0; i < 1_000; i += 1) deny(`address ${i}`, {});
  expect(lines).toHaveLength(20);
  pass(10_000);
  deny('next', {});
  expect(lines.at(-1)).toEqual({ others_before: 980 });
});
