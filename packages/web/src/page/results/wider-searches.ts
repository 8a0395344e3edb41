import { listOr } from '../../messages/format.ts';
import { NO_FILTERS, type View } from '../location/query-string.ts';
import { filtersOf, type NameOf } from '../location/filters-of.ts';
import { t } from '../../messages/texts.ts';

/** Another search than the one of the view. */
export type OtherSearch = { label: string; changes: Partial<View> };

/** The page counts what each of the searches finds. */
const FILTERS_MAX = 8;
const PARTS_MAX = 4;

/** Searches that may find something where the view finds nothing: each leaves out one thing, or all filters. */
export function widerSearches(view: View, nameOf: NameOf): OtherSearch[] {
  const filters = removableFilters(view, nameOf);
  return [
    ...(filters.length > 0 ? [{ label: t('withoutFilters'), changes: NO_FILTERS }] : []),
    // One alone is all of them.
    ...(filters.length > 1 ? filters.slice(0, FILTERS_MAX) : []),
    ...widerPrompts(view).slice(0, PARTS_MAX),
  ];
}

/** An item of any chosen creator matches, so only a list without all of them can be longer. */
function removableFilters(view: View, nameOf: NameOf): OtherSearch[] {
  const creators = listOr(view.creatorId.map((id) => nameOf(id, t('user', { id: String(id) }))));
  return [
    ...filtersOf({ ...view, creatorId: [] }, nameOf).map(({ label, without }) => ({ label, changes: without })),
    ...(creators === '' ? [] : [{ label: t('byOne', { name: creators }), changes: { creatorId: [] } }]),
  ].map(({ label, changes }) => ({ label: t('removeFilter', { filter: label }), changes }));
}

/** The parts of a prompt as the API separates them: phrases, excluded phrases, and everything else. */
const PART = /(-?)["“”„‟«»＂]([^"“”„‟«»＂]+)["“”„‟«»＂]|\S+/g;

function widerPrompts({ prompt, match }: View): OtherSearch[] {
  const parts = [...prompt.matchAll(PART)].map(({ 0: part, 1: minus = '', 2: phrase, index }) => {
    const withInstead = (text: string): Partial<View> => ({
      prompt: `${prompt.slice(0, index)} ${text} ${prompt.slice(index + part.length)}`.replace(/\s+/g, ' ').trim(),
    });
    const isExcluded = minus !== '' || (phrase === undefined && /^-./.test(part));
    return { text: phrase ?? part.replace(/^-/, ''), isExcluded, isPhrase: phrase !== undefined && !isExcluded, withInstead };
  });
  const words = parts.filter(({ isExcluded, isPhrase }) => !isExcluded && !isPhrase);
  const wider = parts.flatMap(({ text, isExcluded, isPhrase, withInstead }): OtherSearch[] => [
    ...(isPhrase ? [{ label: t('separateWords', { text }), changes: withInstead(text) }] : []),
    ...(isPhrase ? [{ label: t('ignorePhrase', { text }), changes: withInstead('') }] : []),
    ...(isExcluded ? [{ label: t('includeWord', { text }), changes: withInstead('') }] : []),
  ]);
  return [
    ...(words.length > 1 && match !== 'any' ? [{ label: t('withAnyWord'), changes: { match: 'any' as const } }] : []),
    // Without anything that is searched for, all items would be found.
    ...wider.filter(({ changes }) => changes.prompt !== ''),
  ];
}
