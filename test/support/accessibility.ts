import axe from 'axe-core';
import type { Page } from 'playwright-core';

type AxeResults = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };

/** @returns what axe-core finds on the page as it is now, one line for each element */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`${axe.source}; axe.run()`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`));
}
