import type { Mutant } from './mutant.ts';

const FOLDER = 'services/api/src/highlight';

/** What `highlight=true` marks. */
export const HIGHLIGHT_MUTANTS: Mutant[] = [
  {
    file: `${FOLDER}/fragments.ts`,
    from: `'<': '&lt;', `,
    to: '',
    why: 'a fragment contains the script of an upload',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/fragments.ts`,
    from: 'Math.max(graphemeAt(text, to).index, from)',
    to: 'to',
    why: 'a fragment ends inside of an emoji',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/searched-text.ts`,
    from: 'isLiteral ? asPhrase(word.text) : asWritten(word)',
    to: 'asWritten(word)',
    why: 'nothing is marked for a prompt of stop words',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/searched-text.ts`,
    from: 'parseLiteral(text)?.strict ? {} : asPhrase(text)',
    to: 'asPhrase(text)',
    why: 'c++ marks c',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/searched-text.ts`,
    from: '    ...joins.map(({ to }) => asWord(to)),\n',
    to: '',
    why: 'an item that was found by joined words has no mark',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/phrase-matcher.ts`,
    from: 'while (state && !state.next.has(term)) state = state.fallback;',
    to: 'if (state && !state.next.has(term)) state = this.#root;',
    why: 'a phrase is not marked after the beginning of another one',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/fold-with-origins.ts`,
    from: 'ends.push(isPlain ? index + n + 1 : index + cluster.length);',
    to: 'ends.push(index + n + 1);',
    why: 'a mark ends between a letter and its accent',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/mark-finder.ts`,
    from: '\\ufeff',
    to: '',
    why: 'a word with a U+FEFF inside, which the index has without, is not marked',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/mark-finder.ts`,
    from: 'if (last && start < last.end)',
    to: 'if (last && start === last.end)',
    why: 'overlapping phrases repeat text of the item',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/terms.ts`,
    from: `.replace(/'s$/, '')`,
    to: '',
    why: 'dog does not mark dog’s',
    test: 'unit/highlight',
  },
  {
    file: `${FOLDER}/terms.ts`,
    from: 'OTHER_STEMS.get(term) ?? stemmer(term)',
    to: 'stemmer(term)',
    why: 'a word is marked whose stem is another one in the index',
    test: 'api/highlight-analysis',
  },
  {
    file: `${FOLDER}/standard-tokens.ts`,
    from: '--${KATAKANA}--${SOUTH_EAST_ASIAN}]`',
    to: '--${KATAKANA}]`',
    why: 'a Thai word after a number has no mark',
    test: 'unit/highlight',
  },
  {
    file: 'services/api/src/search/search-content.ts',
    from: `    if (isHighlighted) requireMapping(index, 3, 'Highlights');\n`,
    to: '',
    why: 'with an index of an older release, marks are on words that it does not match',
    test: 'api/highlight',
  },
];
