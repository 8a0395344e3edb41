import type { Key } from '../messages/fill.ts';
import { CHOSEN_LANGUAGE, language, t } from '../messages/texts.ts';

/** Shows the languages in the foot, which is part of the document, and says its links in the language of the page. */
export function startFoot(): void {
  for (const link of document.querySelectorAll<HTMLElement>('.foot [data-text]'))
    link.textContent = t(link.dataset['text'] as 'terms' & Key);
  const choice = document.querySelector<HTMLSelectElement>('#language');
  if (!choice) return;
  Object.assign(choice, { value: language, ariaLabel: t('language'), hidden: false });
  choice.onchange = () => {
    localStorage.setItem(CHOSEN_LANGUAGE, choice.value);
    location.reload();
  };
}
