import type { Page } from 'playwright-core';

/**
 * Replaces every text node, now and whenever one comes, as the translation of browsers does: by elements that contain a
 * text node of their own. The texts stay the same, so that a translated page can be compared with another one.
 */
const TRANSLATE = `(() => {
  const SKIPPED = 'font, script, style, textarea, .notranslate, [translate=no]';
  const translate = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.currentNode; node; node = walker.nextNode()) if (node.nodeType === 3) texts.push(node);
    for (const node of texts) {
      if (!node.parentElement || node.parentElement.closest(SKIPPED)) continue;
      const outer = document.createElement('font');
      outer.append(document.createElement('font'));
      outer.firstChild.append(node.data);
      node.replaceWith(outer);
    }
  };
  translate(document.body);
  new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach(translate)))
    .observe(document.body, { childList: true, subtree: true });
})()`;

export const translate = (page: Page): Promise<void> => page.evaluate(TRANSLATE);

/** What a person reads, without blanks, which depend on elements, and without times, which go on. */
export async function readTexts(page: Page, selector = 'body'): Promise<string> {
  const text = await page.locator(selector).innerText();
  return text.replace(/\bnow\b|\d+ (second|minute)s? ago|\d+:\d\d(:\d\d)?/g, '').replace(/\s+/g, '');
}
