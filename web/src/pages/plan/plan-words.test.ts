import { describe, expect, it } from 'vitest';
import { planNames, plans } from '../../../../src/model/plans.js';
import { nextPlan, planTitles, shareOf } from './plan-words.js';

describe('the words for plans', () => {
  it('promise what the plan table holds', () => {
    for (const [index, name] of planNames.entries()) {
      expect(planTitles[name]).toBeTruthy();
      const next = nextPlan[name];
      expect(next?.plan).toBe(planNames[index + 1]);
      if (next === null) continue;
      const [now, then] = [plans[name], plans[next.plan]];
      const cap = then.maxProjects === null ? 'as many projects as you like' : `${then.maxProjects} projects`;
      expect(next.adds).toContain(cap);
      expect(next.adds.includes('file uploads')).toBe(then.fileUploads && !now.fileUploads);
      expect(next.adds.includes('image transformation')).toBe(
        then.imageTransformation && !now.imageTransformation,
      );
    }
  });
});

describe('shareOf', () => {
  it('is a share of the cap, and nothing without one', () => {
    expect(shareOf(1, 3)).toBe(33);
    expect(shareOf(5, 3)).toBe(100);
    expect(shareOf(5, null)).toBeNull();
  });
});
