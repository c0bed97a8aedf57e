import { describe, expect, it } from 'vitest';
import { isPlanName, planNames, plans } from './plans.js';

describe('plans', () => {
  it('are the table of the decisions', () => {
    expect(plans).toEqual({
      starter: { maxProjects: 3, fileUploads: false, imageTransformation: false },
      pro: { maxProjects: 25, fileUploads: true, imageTransformation: false },
      business: { maxProjects: 100, fileUploads: true, imageTransformation: true },
      enterprise: { maxProjects: null, fileUploads: true, imageTransformation: true },
    });
  });

  it('never take away what a lower plan has', () => {
    const ladder = planNames.map((name) => plans[name]);
    for (const [index, plan] of ladder.entries()) {
      for (const higher of ladder.slice(index + 1)) {
        expect(higher.maxProjects ?? Number.POSITIVE_INFINITY).toBeGreaterThan(plan.maxProjects ?? 0);
        if (plan.fileUploads) expect(higher.fileUploads).toBe(true);
        if (plan.imageTransformation) expect(higher.imageTransformation).toBe(true);
      }
    }
  });
});

describe('isPlanName', () => {
  it('knows the four names and nothing that an object happens to have', () => {
    for (const name of planNames) expect(isPlanName(name)).toBe(true);
    for (const text of ['', 'Pro', 'free', 'constructor', '__proto__', 'toString']) {
      expect(isPlanName(text)).toBe(false);
    }
  });
});
