import type { View } from '../location/query-string.ts';
import { t } from '../../messages/texts.ts';

const TITLES = { true: 'hiddenCount', mine: 'ownCount', review: 'reviewCount' } as const;

/** The title of a list that is read from PostgreSQL. */
export function ShelfTitle({ hidden, n }: { hidden: NonNullable<View['hidden']>; n: number }) {
  return <>{t(TITLES[`${hidden}`], { n })}</>;
}
