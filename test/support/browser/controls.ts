import type { Page } from 'playwright-core';

/** A phone, a tablet and a desktop. */
export const SCREENS = [
  { width: 390, height: 844, isTouch: true },
  { width: 820, height: 1180, isTouch: true },
  { width: 1440, height: 900, isTouch: false },
];

/**
 * The controls of the page as it is now that cannot be used, each with the reason. A control is scrolled to; then the
 * element at its middle and at both ends must be it, a part of it, its label, or a control inside it. A list of suggestions covers what is below it until it is
 * closed. The focus ring of a field touches neither text of its label nor
 * another control of the form.
 */
export function unusableControls(page: Page): Promise<string[]> {
  return page.evaluate(FIND_UNUSABLE);
}

/** What of the visible page has moved by itself since it was loaded: 0 is nothing, and up to .1 is good (Core Web Vitals). */
export const LAYOUT_SHIFT_MAX = 0.1;
/** The front has most parts that are read by themselves. */
export const FRONT_SHIFT_MAX = 0.05;

/** Must be called before the page is opened. @returns a function that returns the layout shift until now */
export async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`
    window.layoutShift = 0;
    window.countShifts = (entries) => entries.forEach((entry) => (layoutShift += entry.hadRecentInput ? 0 : entry.value));
    window.shiftObserver = new PerformanceObserver((list) => countShifts(list.getEntries()));
    shiftObserver.observe({ type: 'layout-shift', buffered: true })`);
  return () => page.evaluate('(countShifts(shiftObserver.takeRecords()), layoutShift)');
}

const FIND_UNUSABLE = `(() => {
  const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=option], [tabindex="0"]';
  const FIELDS = 'input:not([type=checkbox], [type=radio], [type=file]), select, textarea';
  const RING = 4;
  const dialogs = [...document.querySelectorAll('dialog:modal')];
  const candidates = (dialogs.at(-1) ?? document.body).querySelectorAll(CONTROLS);
  const largestBox = (element) => [...element.getClientRects()].sort((a, b) => b.width * b.height - a.width * a.height)[0];
  const isShown = (element) => {
    const box = largestBox(element);
    // What is hidden from sight only, such as a link that shows itself when it has the focus, has a clip path.
    return box?.width * box?.height > 0 && element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).clipPath === 'none';
  };
  const controls = [...candidates].filter(isShown);
  const nameOf = (element) => element.outerHTML.slice(0, 120);
  const isHit = (control, hit) => control.contains(hit) || [...(control.labels ?? [])].some((label) => label.contains(hit));
  const isInside = (box, inner) =>
    inner && inner.left >= box.left && inner.right <= box.right && inner.top >= box.top && inner.bottom <= box.bottom;
  const coverOf = (control) => {
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const box = largestBox(control);
    const isOption = control.closest('[role=listbox]');
    for (const x of [box.left + box.width / 2, box.left + 2, box.right - 2]) {
      const hit = document.elementFromPoint(x, box.y + box.height / 2);
      const isOverlaid = hit?.closest('[role=listbox]') && !isOption;
      if (isHit(control, hit) || isOverlaid || isInside(box, hit?.closest(CONTROLS)?.getBoundingClientRect())) continue;
      return nameOf(control) + ' is covered by ' + (hit ? nameOf(hit) : 'the edge of the screen');
    }
    return undefined;
  };
  const textBoxes = (label) => {
    const texts = [...label.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    return texts.flatMap((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return [...range.getClientRects()];
    });
  };
  const isTouching = (ring, box) =>
    box.left < ring.right && box.right > ring.left && box.top < ring.bottom && box.bottom > ring.top;
  const touchedBy = (field) => {
    const box = field.getBoundingClientRect();
    const ring = { left: box.left - RING, right: box.right + RING, top: box.top - RING, bottom: box.bottom + RING };
    const touches = (other) => isTouching(ring, other) && !isInside(box, other);
    if ([...(field.labels ?? [])].some((label) => textBoxes(label).some(touches))) return nameOf(field) + ' touches its label';
    const group = field.closest('form, fieldset');
    const other = controls.find((each) => each !== field && group?.contains(each) && !each.closest('[role=listbox]') && touches(each.getBoundingClientRect()));
    return other && nameOf(field) + ' touches ' + nameOf(other);
  };
  return [...controls.map(coverOf), ...controls.filter((each) => each.matches(FIELDS)).map(touchedBy)].filter((each) => each);
})()`;
