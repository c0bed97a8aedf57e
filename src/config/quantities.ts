/**
 * Numeric settings: whole numbers, byte sizes, durations.
 * A number without a unit is bytes or seconds. The parsed value is always whole bytes or whole milliseconds.
 */
import { invalid, type SettingType, valid } from './setting-type.js';

export const wholeNumber = (min: number, max: number): SettingType<number> => ({
  expects: `a whole number from ${min} to ${max}`,
  parse(text) {
    if (!/^-?\d+$/.test(text)) return invalid('is not a whole number');
    return withinRange(Number(text), min, max);
  },
});

type Units = Readonly<Record<string, number>>;

const byteUnits: Units = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

const millisecondUnits: Units = {
  '': 1000,
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Bounds are written as a user would write them, because faults show them: `byteSize('1 B', '1 TiB')`. */
export const byteSize = (min: string, max: string): SettingType<number> => ({
  expects: `a size from ${min} to ${max}: bytes, or with a unit as in 500 KB, 10 MiB, 1 GiB`,
  parse: (text) => parseWithin(text, byteUnits, 'is not a size', min, max),
});

export const duration = (min: string, max: string): SettingType<number> => ({
  expects: `a time from ${min} to ${max}: seconds, or with a unit as in 500 ms, 90 s, 15 m, 24 h, 7 d`,
  parse: (text) => parseWithin(text, millisecondUnits, 'is not a time', min, max),
});

export const durations = (count: number, min: string, max: string): SettingType<readonly number[]> => {
  const one = duration(min, max);
  return {
    expects: `${count} waits from ${min} to ${max}, separated by commas: seconds, or with a unit as in 1 m`,
    parse(text) {
      const parts = text.split(',').map((part) => one.parse(part.trim()));
      if (parts.length !== count) return invalid(`has ${parts.length} instead of ${count} entries`);
      const values: number[] = [];
      for (const [index, part] of parts.entries()) {
        if (!part.ok) return invalid(`has a wrong entry, number ${index + 1}, which ${part.wrong}`);
        values.push(part.value);
      }
      return valid(values);
    },
  };
};

function parseWithin(text: string, units: Units, wrong: string, min: string, max: string) {
  const value = measure(text, units);
  return value === null
    ? invalid(wrong)
    : withinRange(value, measure(min, units) ?? 0, measure(max, units) ?? 0);
}

function measure(text: string, units: Units): number | null {
  const [, amount, unit] = /^(\d+(?:\.\d+)?|\.\d+) *([a-z]*)$/i.exec(text) ?? [];
  const factor = units[unit?.toLowerCase() ?? 'none'];
  return amount === undefined || factor === undefined ? null : Math.round(Number(amount) * factor);
}

function withinRange(value: number, min: number, max: number) {
  if (value < min) return invalid('is too small');
  return value > max ? invalid('is too large') : valid(value);
}
