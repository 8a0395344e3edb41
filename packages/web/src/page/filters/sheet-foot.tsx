import { Button } from '../../shared/button.tsx';
import { NO_FILTERS } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { t } from '../../messages/texts.ts';

/** `total`: the number of items that the filters leave; undefined while it is not known. */
type SheetFootProps = { hasFilters: boolean; total: number | undefined; onClose: () => void };

export function SheetFoot({ hasFilters, total, onClose }: SheetFootProps) {
  return (
    <>
      {hasFilters && <Button onClick={() => showList(NO_FILTERS)}>{t('removeAll')}</Button>}
      <Button kind="primary" onClick={onClose}>
        {total === undefined ? t('showList') : t('showItems', { n: total })}
      </Button>
    </>
  );
}
