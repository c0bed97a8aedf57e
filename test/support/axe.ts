/** What axe, which checks accessibility, finds on a page. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Dark differs from light only in its colours. */
export async function findingsOn(page: Page, scheme: 'light' | 'dark'): Promise<readonly string[]> {
  // Its source is half a megabyte: once for each document.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const rules = scheme === 'dark' ? "runOnly: ['color-contrast']," : '';
  const found = await page.evaluate<readonly Finding[]>(
    `axe.run(document, { ${rules} resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, impact, nodes }) =>
      `${id} (${impact}): ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
  );
}
