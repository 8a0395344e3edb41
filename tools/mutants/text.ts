import { changes, type Mutant } from './mutant.ts';

const SEARCH = 'services/api/src/search';
const TEXT = 'packages/text/src';

/** How texts are written, split into terms, and marked: each rule, broken in several ways. */
export const TEXT_MUTANTS: Mutant[] = [
  ...changes(`${SEARCH}/query.ts`, undefined, 'unit/prompt', [
    ["...(match === 'all' ? smallWordQueries(interpretation) : []),", '', 'match=all does not ask for small words'],
    ["...(match === 'all' ? [] : smallWordQueries(interpretation)),", '', 'small words do not rank'],
    [
      '(replaceWords(text, rules, inNames))], OTHER_NAME_BOOST',
      '(replaceWords(text, rules, inNames))], JOINED_NAME_BOOST',
      'another form of a name counts as much as the name',
    ],
    ['SMALL_WORD_BOOST = 0.2', 'SMALL_WORD_BOOST = 1', 'a small word counts as much as others'],
    ['isRelaxed && hasKnownWord', 'hasKnownWord', 'a correction beside a known word hardly counts'],
    ['isRelaxed && hasKnownWord(interpretation)', 'isRelaxed', 'a prompt of guesses hardly counts'],
    ['GUESS_BESIDE_KNOWN = 0.1', 'GUESS_BESIDE_KNOWN = 1', 'a guess counts as much as a known word'],
  ]),
  ...changes(`${SEARCH}/accent-query.ts`, undefined, 'unit/prompt', [
    ['ACCENT_BOOST = 6', 'ACCENT_BOOST = 1.5', 'a name without the accent comes before a text with it'],
    ['Math.min(Math.max(words.length, 1), MAX_SHARES)', '1', 'the words without an accent do not count beside those with one'],
    ['Math.max(words.length, 1)', 'words.length', 'a quoted prompt with an accent is a 500'],
    [
      'isWeighed ? WEIGHED_ACCENT_BOOST : ACCENT_BOOST',
      'ACCENT_BOOST',
      'by best, a popular name without the accent comes before a text with it',
    ],
  ]),
  ...changes(`${SEARCH}/query.ts`, 'buildQuery', 'unit/prompt', [
    [
      'must: [weighByQuality(ranked(matching, words, filters))], should: tiers',
      'must: [weighByQuality(ranked(matching, [...words, ...tiers], filters))]',
      'by best, quality lifts an item with three words above one with four',
    ],
  ]),
  ...changes(`${SEARCH}/ranking-query.ts`, undefined, 'unit/name-query', [
    ['words.filter(({ text }) => !missing.includes(text))', 'words', 'a word that no item has takes the rank of a name'],
  ]),
  ...changes(`${SEARCH}/name-query.ts`, undefined, 'unit/name-query', [
    [' && !isAddedSynonym(one)', '', 'a rare synonym in a name comes before the word that is typed'],
    ['0.45 * NAME_BOOST', '0.8 * NAME_BOOST', 'a rarer form of a name comes before the word'],
    ['MAX_OTHERS = 3', 'MAX_OTHERS = 99', 'a prompt of many ways has too many clauses'],
    ['.slice(0, MAX_OTHERS)', '.slice(-MAX_OTHERS)', 'the rarest ways are searched for in names'],
    ['isReplaced(word, own) ? []', 'false ? []', 'a replaced word is searched for in names'],
    ['isCorrection(one) ? NAME_BOOST : other', 'other', 'a misspelt name counts half'],
    ['isCorrection(one) ? NAME_BOOST : other', 'NAME_BOOST', 'another way to write a name counts as much'],
    [
      "one.kind === 'near' ? NEAR_BOOST : OTHER_NAME_BOOST",
      'OTHER_NAME_BOOST',
      'a name with a similar word comes before a text with the word',
    ],
    ['stem: (text) => [...written(text), ', 'stem: (text) => [...written(text)] ?? [', 'a name is not found by its plural'],
    ["replace(/(?<=...)i$/, '')", "replace(/(?<=...)i$/, 'i')", 'ponies does not find the name pony'],
    [' && !isLetterKey(key)', '', 'muenchen does not find the name München'],
    ['/^\\w+:/.test(key) &&', '/^x+:/.test(key) &&', 'a plural in another language does not find the name'],
    ['reduce(commonBeginning, word)', 'reduce((_, other) => other, word)', 'a name has another ending than its form'],
    ['filter: [form]', 'filter: []', 'a name that only begins alike counts as another form'],
  ]),
  ...changes(`${SEARCH}/text-fields.ts`, 'phraseBeginning', 'unit/name-query', [
    ['max_expansions: 10', 'max_expansions: 50', 'a long beginning has too many clauses'],
  ]),
  ...changes(`${SEARCH}/prompt/people.ts`, 'byPeople', 'api/strangers', [
    ['[isShared, ...counts]', 'counts', 'one account ends the correction of a word of several'],
  ]),
  ...changes(`${SEARCH}/suggestions/names.ts`, undefined, 'api/suggest', [
    ['...nameKeys(prompt).joined.flatMap(joinedQuery)', '', 'num py does not suggest NumPy'],
    ['MIN_JOINED_LENGTH = 6', 'MIN_JOINED_LENGTH = 4', 'two letters begin too many joined names'],
    ['matching.toSorted((one, other) => rankOf(one) - rankOf(other))', 'matching', 'a complete name is not suggested first'],
    ['joined.slice(0, 1)', 'joined.slice(1)', 'a complete name of joined words is not suggested first'],
    ['boost: 1 }', 'boost: 0 }', 'words in another order come before those next to each other'],
    ['{ filter: inAnyOrder, boost: 0 }', '{ filter: consecutive, boost: 0 }', 'words in another order are not suggested'],
  ]),
  ...changes(`${SEARCH}/suggestions/suggest.ts`, undefined, 'api/suggest', [
    ['wholeTag: wholeTagSearch(folded, index)', '', 'a complete tag is not suggested beside many longer ones'],
    ['...(isFull && { wholeName: wholeNameSearch(typed, index) }),', '', 'a complete name is not suggested beside many'],
    ['isFull && isOfFew(named, CANDIDATES) && {', 'false && {', 'an account fills the completions'],
    ['[...whole, ...counted]', '[...counted, ...whole]', 'a complete tag is not suggested first'],
  ]),
  ...changes(`${TEXT}/rules/keys.ts`, 'joinedNameKeys', 'unit/search-text', [
    ['[words, withoutArticle(words)]', '[withoutArticle(words)]', 'lo dash does not find lodash'],
    ['[words, withoutArticle(words)]', '[words]', 'lighthouse does not find The Light House'],
  ]),
  ...changes(`${TEXT}/rules/keys.ts`, undefined, 'unit/search-text', [
    ["[' ', ''].map((apostrophe)", "[' '].map((apostrophe)", "sailors knot is not the name Sailor's Knot"],
    ["[' ', ''].map((apostrophe)", "[''].map((apostrophe)", "l amour is not the name L'Amour"],
    ["isStrict(word) ? word : word.replaceAll(SIGNS, '')", "word.replaceAll(SIGNS, '')", 'c is the name C++'],
    [".replace(LEADING_ARTICLE, '')", '', 'The Cat comes after Theory'],
    ["|l')(?=", ')(?=', "L'eau is sorted by its article"],
  ]),
  ...changes(`${SEARCH}/meaning/meaning.ts`, 'promptText', 'unit/meaning', [
    [
      'replaceWords(withoutExcluded(text), rules, correctionsOf(alternatives))',
      'withoutExcluded(text)',
      'a misspelt word is ranked by its meaning',
    ],
  ]),
  ...changes(`${TEXT}/prompt/exclusions.ts`, 'withoutExcluded', 'unit/meaning', [
    ['withMinus(unifyQuotes(prompt))', 'unifyQuotes(prompt)', 'what NOT excludes is ranked by its meaning'],
    ['withMinus(unifyQuotes(prompt))', 'withMinus(prompt)', 'a part of a phrase that is excluded is ranked by its meaning'],
  ]),
  ...changes(`${TEXT}/marks/mark-finder.ts`, undefined, 'unit/marks', [
    ['parseLiteral(text)?.strict === true', 'false', 'c++ marks the words that begin with c'],
    ['beginning.filter((text) => !isSymbol(text)).map(toPhrase)', '[]', 'the unfinished word marks nothing'],
    ['this.#literals = new Set(literal);', 'this.#literals = new Set<string>();', 'c++ marks nothing'],
    ['this.#literalBeginnings = beginning.filter(isSymbol);', 'this.#literalBeginnings = [];', 'c++ does not mark C++17'],
    ['...stems.filter((parts) => !isOne(parts))', '', 'a word of several terms marks nothing'],
    ['(stem !== undefined && this.#stems.has(stem)) ||', '', 'a word marks nothing'],
    ['this.#beginnings.some((beginning) => term.startsWith(beginning)) ||', '', 'the unfinished word marks nothing'],
    ['term.startsWith(beginning)', 'term.includes(beginning)', 'the unfinished word marks other words'],
    ['if (this.#hasPhrases) terms.push', 'if (!this.#hasPhrases) terms.push', 'a phrase marks nothing'],
    ['start: term.start + index, end: term.end + index', 'start: term.start, end: term.end', 'a phrase marks the beginning of the text'],
    ['found.push(shift(term, index))', 'found.push(shift(term, 0))', 'a word marks the beginning of the text'],
    [
      'return mergeOverlapping([...found, ...this.#findPhrases(terms), ...this.#withSymbols.find(terms, symbols)]);',
      'return [...found, ...this.#findPhrases(terms), ...this.#withSymbols.find(terms, symbols)];',
      'marks overlap',
    ],
    ['last.end = Math.max(last.end, end)', 'last.end = end', 'a mark ends inside of another one'],
    ['if (last && start < last.end)', 'if (last && start <= last.end)', 'marks that touch each other are one'],
    ['Math.max(lengths[at] ?? 0, ...begun)', 'lengths[at] ?? 0', 'an unfinished phrase marks nothing'],
    ['n === phrase.length - 1 ? term?.startsWith(part) : term === part', 'term === part', 'an unfinished phrase marks nothing'],
    ['this.#literals.has(literal) ||', '', 'a literal marks nothing'],
    [
      'parts.map((part) => {\n    const start = text.indexOf(part, end)',
      'parts.map((part) => {\n    const start = text.indexOf(part)',
      'the second of equal literals has no mark',
    ],
  ]),
  ...changes(`${TEXT}/marks/phrases-with-symbols.ts`, undefined, 'unit/marks', [
    ['return hasAll(inside) ? [phrase, ...inside] : [];', 'return [phrase, ...inside];', 'the phrase c++ primer marks C primer'],
  ]),
  ...changes(`${TEXT}/marks/phrase-matcher.ts`, undefined, 'unit/marks', [
    ['state.length ||= state.fallback?.length ?? 0;', '', 'a phrase that ends a longer beginning is not found'],
    ['while (state && !state.next.has(term)) state = state.fallback;', '', 'a phrase after its own beginning is not found'],
    ['next.fallback = this.#follow(state.fallback ?? this.#root, term);', '', 'a phrase inside of another beginning is not found'],
  ]),
  ...changes(`${SEARCH}/highlight/fragments.ts`, undefined, 'unit/marks', [
    ["'<': '&lt;', ", '', 'an upload puts markup into the page'],
    ["'\"': '&quot;', ", '', 'an upload puts attributes into the page'],
    ['/[&<>"\']/g', '/[<>"\']/g', 'an ampersand is not escaped'],
    ['MAX_FRAGMENTS = 3', 'MAX_FRAGMENTS = 4', 'a description has four fragments'],
    ['FRAGMENT_LENGTH = 150', 'FRAGMENT_LENGTH = 200', 'a fragment has 200 characters'],
    ['filter(([, found]) => found.length > 0)', 'filter(() => true)', 'a field without a mark is in the highlights'],
    ['Math.max(before, shownText)', 'before', 'fragments overlap'],
    ['Math.min(first.start - CONTEXT_LENGTH, text.length - FRAGMENT_LENGTH)', 'first.start - CONTEXT_LENGTH', 'the last fragment is short'],
    ['return index === from ? from : Math.min(index + segment.length, to);', 'return from;', 'a fragment begins inside of a grapheme'],
    ['Math.max(graphemeAt(text, to).index, from)', 'to', 'a fragment ends inside of a grapheme'],
    ['from + blanks.index + blanks[0].length', 'from', 'a fragment begins inside of a word'],
  ]),
  ...changes(`${TEXT}/marks/fold-with-origins.ts`, undefined, 'unit/marks', [
    ['[가-힣]?(?:${JAMO}${COMBINING}*)+', '[가-힣]?${JAMO}${COMBINING}*', 'a Korean word that is decomposed is marked in part'],
    ['(?<=\\u200d)\\p{Extended_Pictographic})*`', '(?<=x)\\p{Extended_Pictographic})*`', 'joined emoji are marked in part'],
    ["folded[starts.length] === ' ' && units[n] !== ' '", 'false', 'a Thai word has no mark of its own'],
    ['isPlain ? index + n + 1 : index + cluster.length', 'index + cluster.length', 'a mark covers the word before'],
  ]),
];
