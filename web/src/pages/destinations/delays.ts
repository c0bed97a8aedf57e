/** Retry delays as users write them: "30 s, 5 min, 2 h, 1 d". Pure. */
import * as words from '../../words/destinations.js';

const units: readonly (readonly [seconds: number, name: string, shape: RegExp])[] = [
  [86_400, 'd', /^d(ays?)?$/],
  [3_600, 'h', /^h(ours?|rs?)?$/],
  [60, 'min', /^m(in(utes?)?)?$/],
  [1, 's', /^(s(ec(onds?)?)?)?$/],
];

export type DelaysResult = { readonly delays: number[] } | { readonly problem: string };

export function delaysOf(text: string): DelaysResult {
  const delays: number[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, amount, name = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(part) ?? [];
    const unit = units.find(([, , shape]) => shape.test(name.toLowerCase()));
    if (amount === undefined || unit === undefined) return { problem: words.notATime(part) };
    delays.push(Number(amount) * unit[0]);
  }
  return { delays };
}

const delayWords = (seconds: number): string => {
  const [size, name] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, 's'];
  return `${seconds / size} ${name}`;
};

export const delaysText = (delays: readonly number[]): string => delays.map(delayWords).join(', ');
