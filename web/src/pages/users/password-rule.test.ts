import { describe, expect, it } from 'vitest';
import { passwordFault } from './password-rule.js';

describe('passwordFault', () => {
  it.each([
    ['short', 'At least 10 characters'],
    ['1234567890', null],
    ['äöüß€', null],
    ['a'.repeat(128), null],
    ['ä'.repeat(65), 'At most 128 characters'],
  ])('%s: %s', (password, fault) => {
    expect(passwordFault(password)).toBe(fault);
  });
});
