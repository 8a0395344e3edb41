import type { View } from '../location/query-string.ts';
import type { Count } from './count.ts';
import { t } from '../../messages/texts.ts';

/** @param count undefined while the number is not known */
export function listTitle(count: Count | undefined, view: View): string {
  const prompt = view.prompt.trim();
  if (!count) return prompt === '' ? t('itemsTitle') : t('itemsOf', { prompt });
  return prompt === '' ? t('items', { n: count.total }) : t('itemsFor', { n: count.total, prompt });
}
