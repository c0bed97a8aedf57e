import { describe, expect, it } from 'vitest';
import { parseHeaderValue } from './header-value.js';

const parameters = (value: string) => Object.fromEntries(parseHeaderValue(value)?.parameters ?? []);

describe('parseHeaderValue', () => {
  it('separates the token from the parameters and lowers the case of both names', () => {
    const parsed = parseHeaderValue(' Form-Data ; Name="A b" ; X=y ');
    expect(parsed?.token).toBe('form-data');
    expect([...(parsed?.parameters ?? [])]).toEqual([
      ['name', 'A b'],
      ['x', 'y'],
    ]);
  });

  it('keeps separators inside quotes', () => {
    expect(parameters('a; x="1; y=2"; z=3')).toEqual({ x: '1; y=2', z: '3' });
  });

  it('undoes \\" and \\\\ and leaves a Windows path alone', () => {
    expect(parameters(String.raw`a; x="say \"hi\" \\ C:\temp\new"`)).toEqual({
      x: String.raw`say "hi" \ C:\temp\new`,
    });
  });

  it('lets the first of a repeated parameter count', () => {
    expect(parameters('a; x=1; X=2')).toEqual({ x: '1' });
  });

  it.each(['a; x', 'a; x="1', 'a; x="1"2', 'a; x=1"2', 'a; ="1"', 'a; x y=1'])(
    'finds %s malformed',
    (value) => {
      expect(parseHeaderValue(value)).toBeUndefined();
    },
  );

  it('takes linear time on separators without end', () => {
    const value = `a${' ;'.repeat(200_000)}"`;
    expect(parseHeaderValue(value)).toBeUndefined();
  });
});
