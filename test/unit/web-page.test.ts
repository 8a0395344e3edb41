import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { fileNameText } from '@ugc/items/fields/text';
import { filterParameters } from '@ugc/api/search/filters';
import { buildPages } from '@ugc/web/build/build-pages';
import { readBuilt } from '@ugc/web/build/pages';
import { roundUpCount, roundUpSeconds, runsOf } from '@ugc/web/operations/chart/scale';
import { findingsOf } from '@ugc/web/operations/status/findings';
import { formatBytes as formatBinary, formatCount, formatDuration } from '@ugc/web/operations/status/format';
import { writtenPerSecond } from '@ugc/web/operations/status/rates';
import type { ShownPage } from '@ugc/web/page/api/types';
import { countedFields } from '@ugc/web/page/api/counted-fields';
import { markDeleted, withoutDeleted } from '@ugc/web/page/api/deletions';
import { nameAmong } from '@ugc/web/page/api/name-among';
import { neighboursOf } from '@ugc/web/page/api/neighbours';
import { completeDraft, emptyDraft, errorsByField, isChanged, mergeDrafts, toEdit, toVersion, type Draft } from '@ugc/web/page/form/draft';
import { numberText, toFieldDrafts, toNumber } from '@ugc/web/page/form/field-draft';
import { toFileName } from '@ugc/web/page/form/file-name';
import { completionsOf, isComma, prefixOf, splitTags } from '@ugc/web/page/form/tag-completions';
import { formatOf } from '@ugc/web/page/form/picture-format';
import { saveLabel, toSeen, toSeenDraft } from '@ugc/web/page/form/seen';
import { describeBytes } from '@ugc/web/page/form/read-text';
import { blocksOf } from '@ugc/web/page/item/description-blocks';
import { linkParts } from '@ugc/web/page/item/link-parts';
import { markupOf, piecesOf, type Markup } from '@ugc/web/page/item/markup';
import { declaredFields } from '@ugc/web/page/location/declared-fields';
import { filtersOf, optionsOf } from '@ugc/web/page/location/filters-of';
import { otherDay } from '@ugc/web/page/location/other-day';
import { FILTERS } from '@ugc/web/page/location/parameters';
import { EVERYTHING, formatList, formatView, NO_FILTERS, parseView, sortOf, type View } from '@ugc/web/page/location/query-string';
import { countOf } from '@ugc/web/page/results/count';
import { fewOfEach } from '@ugc/web/page/results/few-of-each';
import { pageNumbers } from '@ugc/web/page/results/page-numbers';
import { parseFragment, plainTextOf } from '@ugc/web/page/results/parse-fragment';
import { withoutMarkup } from '@ugc/web/page/results/without-markup';
import { QUOTES } from '@ugc/text/prompt/quotations';
import { widerSearches } from '@ugc/web/page/results/wider-searches';
import { markTyped } from '@ugc/web/page/search/mark-typed';
import { hasScope, readClaims, tokenInFragment, trimToken } from '@ugc/web/page/token/claims';
import { formatAge, formatBytes, formatCompact, roundRoughly } from '@ugc/web/messages/format';
import { LANGUAGES, type Language } from '@ugc/web/messages/languages';
import { say, type Said } from '@ugc/web/messages/texts';
import { isResponse, withoutResponse } from '@ugc/web/sign-in/pending';
import { isSilent } from '@ugc/web/sign-in/silent-try';
import { describeFailure, describeRefused, describeUnreadable, isRefusal } from '@ugc/web/sign-in/problems';
import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { gif, gifExtension, jpeg, jpegSegment, png, webp, webpChunk, webpExtended, pngChunk } from '../support/database/images.ts';
import { sign, tokenOf } from '../support/http/tokens.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

const said = (text: Said | undefined): string => (text ? say(text) : '');

const SIZE_MAX_BYTES = 35_000;

describe('what the web page loads at first', () => {
  beforeAll(() => buildPages());

  it.each(Object.keys(LANGUAGES))('has at most 35 kB together when compressed, in the language %s', (code) => {
    const { script, imported, later, styles, languages } = readBuilt('page');
    const texts = later.filter(({ fileName }) => fileName === languages[code]?.script);
    expect(texts).toHaveLength(1);
    const files = [script, ...imported, ...texts, ...styles];
    expect(files.reduce((sum, { content }) => sum + gzipSync(content, { level: 9 }).length, 0)).toBeLessThanOrEqual(SIZE_MAX_BYTES);
  });
});

it('what is loaded to sign in has at most 9 kB when compressed with Brotli', () =>
  expect(brotliCompressSync(readBuilt('sign-in').script.content).length).toBeLessThanOrEqual(9_000));

it.each([
  [[[1, 'Ada']], 1, 'Ada'],
  [
    [
      [1, 'Ada'],
      [2, 'Boris'],
    ],
    1,
    'Ada',
  ],
  [
    [
      [1, 'Ada'],
      [22, 'Ada'],
    ],
    1,
    'Ada #1',
  ],
  [
    [
      [1, 'Ada'],
      [22, 'Ada'],
    ],
    22,
    'Ada #22',
  ],
  [[[1, 'Ada']], 2, undefined],
] as [[number, string][], number, string | undefined][])('of the creators %j, number %d is called %j', (known, id, expected) =>
  expect(nameAmong(new Map(known), id)).toBe(expected),
);

describe('the response of an identity provider', () => {
  it.each([
    ['?code=x&state=y&iss=z&session_state=s&item=5', '?item=5'],
    ['?error=access_denied&error_description=d&error_uri=u&state=y', ''],
    ['?code=x', ''],
  ])('%s is one, and leaves %j in the address', (search, expected) => {
    expect(isResponse(new URLSearchParams(search))).toBe(true);
    expect(withoutResponse(search)).toBe(expected);
  });

  it.each([
    ['an error that says so', 'error=login_required', { isSilent: true }, 900_000, true],
    ['another error', 'error=access_denied', { isSilent: true }, 0, false],
    ['a code, in the navigation that has left the page', 'code=x', { isSilent: true }, 20, true],
    ['a code, in a later navigation', 'code=x', { isSilent: true }, 1_500, false],
    ['a code after a click', 'code=x', { isSilent: false }, 20, false],
    ['one that nobody waits for', 'code=x', undefined, 20, false],
  ] as const)('%s tells whether the provider has asked nobody', (_, search, pending, laterMs, expected) => {
    const full = pending && { ...pending, leftMs: 5_000, state: '', nonce: '', verifier: '', view: '', entry: null };
    expect(isSilent({ parameters: new URLSearchParams(search), pending: full, navigatedMs: 5_000 + laterMs })).toBe(expected);
  });

  it.each(['', '?item=5', '?state=y&prompt=code'])('%j is none', (search) => expect(isResponse(new URLSearchParams(search))).toBe(false));

  it.each([
    [{ code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'access_denied' }, /you did not agree[^:]*\.$/],
    [
      { code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'access_denied', error_description: 'not here' },
      /did not agree.* says: not here$/,
    ],
    [{ code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'server_error' }, /says: server_error/],
    [{ code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'x', error_description: 'y'.repeat(999) }, /^.{0,300}…$/],
    [{ code: 'OAUTH_RESPONSE_BODY_ERROR', error: 'invalid_grant', status: 400 }, /refused the sign-in: invalid_grant/],
    [{ code: 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED' }, /clock of this device/],
    [{ code: 'OAUTH_INVALID_RESPONSE', message: 'unexpected nonce' }, /not valid: unexpected nonce/],
  ])('%j is explained in a sentence', (failure, sentence) => expect(said(describeFailure(failure))).toMatch(sentence));

  it.each([new TypeError('Failed to fetch'), new DOMException('', 'TimeoutError')])('that did not arrive is none: %s', (failure) =>
    expect(describeFailure(failure)).toBeUndefined(),
  );

  it.each([
    [{ code: 'OAUTH_RESPONSE_BODY_ERROR', status: 400 }, true],
    [{ code: 'OAUTH_RESPONSE_BODY_ERROR', status: 429 }, false],
    [{ code: 'OAUTH_RESPONSE_IS_NOT_CONFORM' }, false],
    [new TypeError('Failed to fetch'), false],
  ])('ends the refresh token only if it will never be accepted: %j', (failure, expected) => expect(isRefusal(failure)).toBe(expected));
});

describe('a token of an identity provider that cannot be used is explained with the setting:', () => {
  const settings = { script: '', clientId: 'page', scope: 'openid' };
  const refused = async (claims: Record<string, unknown>, audience?: string): Promise<string> =>
    say(describeRefused(await sign(claims), 'https://issuer.test', { ...settings, audience }));

  it('it is no JWT', () => {
    expect(say(describeUnreadable('opaque', 'sub', settings))).toMatch(/no JWT.*JWT_AUDIENCE is not set/);
    expect(say(describeUnreadable('opaque', 'sub', { ...settings, audience: 'ugc' }))).toMatch(/no API ugc \(JWT_AUDIENCE\)/);
  });

  it('it names no user', async () =>
    expect(say(describeUnreadable(await sign({ sub: '7' }), 'oid', settings))).toMatch(/oid \(JWT_USER_CLAIM\)/));

  it('it is of another issuer, for another audience, or signed with another key', async () => {
    const iss = 'https://issuer.test';
    expect(await refused({ iss: `${iss}/` })).toMatch(/JWT_ISSUER is https:\/\/issuer.test, and the token is of https:\/\/issuer.test\/\./);
    expect(await refused({ iss, aud: ['a', 'b'] }, 'ugc')).toMatch(/JWT_AUDIENCE is ugc, and the token is for a, b/);
    expect(await refused({ iss }, 'ugc')).toMatch(/for nobody \(JWT_AUDIENCE, JWT_AUDIENCE_CLAIM\)/);
    expect(await refused({ iss, aud: 'ugc' }, 'ugc')).toMatch(/JWT_JWKS_URL/);
  });
});

describe('the address of the web page', () => {
  it('has days of years of four digits only, which the API understands', () => {
    expect(['2026-12-31', '9999-12-31', '20266-01-01', '275760-09-13'].map((day) => otherDay(day, 1))).toEqual(['2027-01-01', '', '', '']);
  });

  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const texts = fc.array(text.filter((tag) => tag !== ''), { maxLength: 3 }); // prettier-ignore
  const id = fc.maxSafeNat().filter((value) => value > 0);
  const ids = fc.array(id, { maxLength: 3 });
  const time = fc.constantFrom('', '2026-11-20', '2026-11-20T09:30:00+01:00');
  const view: fc.Arbitrary<View> = fc.record({
    prompt: text,
    correct: fc.boolean(),
    match: fc.constantFrom('closest', 'most', 'any', 'all'),
    semantic: fc.boolean(),
    tags: texts,
    anyTags: texts,
    excludeTags: texts,
    creatorId: ids,
    excludeCreatorId: ids,
    minRating: fc.constantFrom(0, 3, 4.5),
    minDownloads: fc.integer({ min: 0, max: 100_000 }),
    maxDownloads: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
    minRecent: fc.integer({ min: 0, max: 100_000 }),
    createdFrom: time,
    createdTo: time,
    updatedFrom: time,
    updatedTo: time,
    where: texts,
    whereAll: texts,
    whereNot: texts,
    sort: fc.constantFrom([], ['relevance'], ['avgRating,desc', 'name']),
    hidden: fc.constantFrom(undefined, true as const, 'mine' as const, 'review' as const),
    key: fc.constantFrom(undefined, '6f1c2a30d94be8570f3b6a1c2d4e5f60'),
    size: fc.integer({ min: 1, max: 200 }),
    page: fc.integer({ min: 0, max: 1_000 }),
    item: fc.option(id, { nil: undefined }),
    form: fc.constantFrom(undefined, 'upload', 'edit'),
    ignored: fc.constant([]),
  });

  it('contains everything that the page shows', () => {
    fc.assert(fc.property(view, (shown) => expect(parseView(formatView(shown))).toEqual(shown)));
  });

  it('is cut at 1,000 characters of the prompt, between two characters: the API refuses a longer one', () => {
    expect(parseView(`prompt=${'a'.repeat(1_200)}`)).toMatchObject({ prompt: 'a'.repeat(1_000), ignored: [] });
    expect(parseView(`prompt=${encodeURIComponent('a' + '🎉'.repeat(600))}`).prompt).toBe(`a${'🎉'.repeat(499)}`);
  });

  it.each([
    ['has all parameters of the list that can be chosen', 'maxDownloads=0&minRating=4.5&sort=name&sort=createdAt,asc&tags[]=a&size=50', []],
    ['names values that the page cannot show', 'page=-1&sort=size&minRating=9&item=0', ['page=-1', 'sort=size', 'minRating=9', 'item=0']],
    ['names a value that is given twice', 'prompt=a&prompt=b&page=0&page=1', ['prompt=b', 'page=1']],
    ['names parameters that it does not know, or does not obey', 'q=sea&highlight=false&after=1', ['q=sea', 'highlight=false', 'after=1']],
    ['leaves out what counts the followers of a link', 'utm_source=mail&fbclid=x&tags=', []],
    ['names the values of a list that are too many', 'tags=a&'.repeat(33), ['tags=a']],
  ])('%s: %s', (_, query, ignored) => expect(parseView(query).ignored).toEqual(ignored));

  it('becomes the query string of the list, sorted by relevance with a prompt and by popularity without', () => {
    expect(formatList(EVERYTHING)).toBe('sort=best&size=24');
    expect(formatList({ ...EVERYTHING, prompt: 'c++', item: 5, page: 2 })).toBe(
      'prompt=c%2B%2B&sort=relevance&page=2&match=closest&size=24',
    );
    expect(formatView(EVERYTHING)).toBe('sort=best');
  });

  it('is searched for the items with the most words, and names only another number of words', () => {
    const typed = { ...EVERYTHING, prompt: 'red kettle drawing' };
    expect(formatView(typed)).toBe('prompt=red+kettle+drawing');
    expect(formatView({ ...typed, match: 'most' })).toBe('prompt=red+kettle+drawing&match=most');
    expect(formatList(parseView('prompt=a&match=most'))).toContain('match=most');
    expect(parseView('prompt=a&match=closest')).toEqual(parseView('prompt=a'));
    expect(optionsOf({ ...typed, match: 'most' }).map(({ label }) => label)).toEqual(['some of the words']);
  });

  it('sorts a prompt that is typed in the list of popular items by relevance, unless the order was chosen for a prompt', () => {
    expect(sortOf({ ...parseView('sort=best'), prompt: 'sea' })).toEqual(['relevance']);
    expect(sortOf({ ...parseView('sort=best&prompt=sea'), prompt: 'seal' })).toEqual(['best']);
  });

  it('has the filters of lists, but for that of ids, which no person types', () => {
    expect([...Object.keys(FILTERS), 'contentId'].toSorted()).toEqual(Object.keys(filterParameters(defaultEnv())).toSorted());
  });

  it('has a chip for each parameter of the list that narrows it or changes the search', () => {
    const query = `tags=a&anyTags=b&anyTags=c&excludeTags=d&creatorId=1&excludeCreatorId=2&minRating=4.5&minDownloads=1&maxDownloads=9&minRecent=3
      &createdFrom=2026-11-20&createdTo=2026-11-28&updatedFrom=2026-11-01&updatedTo=2026-11-20T09:30:00Z&correct=false&match=any
      &semantic=false&size=50`;
    const shown = parseView(query.replaceAll(/\s+/g, ''));
    const chips = [...filtersOf(shown, (id) => `creator ${id}`), ...optionsOf(shown)];
    expect(chips.map(({ label }) => label)).toEqual([
      'a',
      'b or c',
      'without d',
      'by creator 1',
      'not by creator 2',
      'rated 4.5 or better',
      '1 download or more',
      '9 downloads or fewer',
      '3 downloads lately or more',
      'since Nov 20, 2026',
      'until Nov 27, 2026',
      'changed since Nov 1, 2026',
      `changed before ${new Date('2026-11-20T09:30:00Z').toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}`,
      'spelt as written',
      'any of the words',
      'ranked by words only',
      '50 on a page',
    ]);
    const without = chips.reduce((rest, chip) => ({ ...rest, ...chip.without }), shown);
    expect(without).toEqual(EVERYTHING);
  });
});

describe('the neighbours of an open item', () => {
  const list = { view: { ...EVERYTHING, page: 1 }, ids: [4, 5, 6], isLast: false };
  const neighbours = async (item: number, shown = list) => {
    const { previous, next } = neighboursOf(shown, item, ({ page }) => Promise.resolve([page * 10, page * 10 + 1]));
    return [await previous?.(), await next?.()];
  };

  it('are those of the list, also on the pages before and after', async () => {
    expect(await neighbours(5)).toEqual([{ item: 4, page: 1 }, { item: 6, page: 1 }]); // prettier-ignore
    expect(await neighbours(4)).toEqual([{ item: 1, page: 0 }, { item: 5, page: 1 }]); // prettier-ignore
    expect(await neighbours(6)).toEqual([{ item: 5, page: 1 }, { item: 20, page: 2 }]); // prettier-ignore
  });

  it('are none at the ends of the list, and of an item that the list does not have', async () => {
    const whole = { ...list, view: EVERYTHING, isLast: true };
    expect(await neighbours(4, whole)).toEqual([undefined, { item: 5, page: 0 }]);
    expect(await neighbours(6, whole)).toEqual([{ item: 5, page: 0 }, undefined]);
    expect(await neighbours(7)).toEqual([undefined, undefined]);
  });
});

describe('a description', () => {
  const linked = (text: string) => linkParts(text).map((part) => (part.href === undefined ? part.text : `[${part.text}](${part.href})`));

  it.each([
    ['Read https://example.org/a.', ['Read ', '[https://example.org/a](https://example.org/a)', '.']],
    ['(see http://localhost:3000/x_(y)?z=1)', ['(see ', '[http://localhost:3000/x_(y)?z=1](http://localhost:3000/x_(y)?z=1)', ')']],
    ['„https://münchen.example“', ['„', '[https://münchen.example](https://xn--mnchen-3ya.example/)', '“']],
    ['HTTPS://EXAMPLE.org!', ['[HTTPS://EXAMPLE.org](https://example.org/)', '!']],
  ])('has links to the pages that it names: %s', (text, parts) => expect(linked(text)).toEqual(parts));

  it.each([
    'javascript:alert(1)',
    'data:text/html,<script>',
    'ftp://example.org',
    'https://',
    'https://bank.example@other.example/',
    'www.example.org',
  ])('has no link to what is no page, or looks like another: %s', (text) => expect(linked(text)).toEqual([text]));

  it('ends a link before invisible characters, which could change how it reads', () => {
    expect(linked('https://example.org/\u202egpj.exe')[0]).toBe('[https://example.org/](https://example.org/)');
  });

  it.each([')', '.', '(', ').', '](', '…', "'"])('has its link whatever follows, also ten thousand times %s', (mark) => {
    const marks = mark.repeat(9_988 / mark.length);
    expect(linkParts(`https://a.b/x ${marks} https://a.b/`).filter(({ href }) => href !== undefined)).toHaveLength(2);
    const text = `https://a.b/${marks}`;
    expect(linkParts(text).map((part) => part.text).join('')).toBe(text); // prettier-ignore
  });

  it('has no link to an address of more than 2,000 characters', () => {
    const address = (length: number): string => `https://a.b/${'x'.repeat(length - 12)}`;
    expect(linked(address(2_000))).toEqual([`[${address(2_000)}](${address(2_000)})`]);
    expect(linked(address(2_001))).toEqual([address(2_001)]);
  });

  it('has no link to a host with a longer name than any has, which browsers take long to read', () => {
    const address = (length: number): string => `https://${'ab.'.repeat(84)}${'c'.repeat(length - 252)}`;
    for (const end of ['', ':65535', '/path', '?a', '#b']) expect(linked(address(253) + end)).toHaveLength(1);
    for (const end of ['', ':65535', '/path', '?a', '#b', '\\x']) expect(linked(address(260) + end)).toEqual([address(260) + end]);
    expect(linked(address(253))[0]).toContain('](https://');
  });

  it('has no brackets of the text around an address in its link', () => {
    expect(linked('([https://a.b/(x)])!')[1]).toBe('[https://a.b/(x)](https://a.b/(x))');
    expect(linked('https://a.b/x).')[0]).toBe('[https://a.b/x](https://a.b/x)');
    expect(linked('https://a.b/(x))')[0]).toBe('[https://a.b/(x)](https://a.b/(x))');
  });

  describe('with Markdown', () => {
    /** Bold text as <b>, links as <a>. */
    const html = (parts: Markup[]): string =>
      parts
        .map((part) => {
          if ('bold' in part) return `<b>${html(part.bold)}</b>`;
          const text = 'link' in part ? html(part.link) : part.text;
          return part.href === undefined ? text : `<a ${part.href}>${text}</a>`;
        })
        .join('');

    it.each([
      ['A **bold** word, **two _of_ them**', 'A <b>bold</b> word, <b>two _of_ them</b>'],
      ['[docs](https://a.b/x) **and [more](https://a.b/y)**', '<a https://a.b/x>docs</a> <b>and <a https://a.b/y>more</a></b>'],
      [
        '[**bold** text](https://a.b/x "title") at https://a.b/z.',
        '<a https://a.b/x><b>bold</b> text</a> at <a https://a.b/z>https://a.b/z</a>.',
      ],
      [
        '![a fox](https://a.b/fox.png) [![build](https://a.b/x.svg)](https://a.b/)',
        '<a https://a.b/fox.png>a fox</a> <a https://a.b/>build</a>',
      ],
      ['![](https://a.b/fox.png)', '<a https://a.b/fox.png>https://a.b/fox.png</a>'],
    ])('shows bold text and links, and no pictures: %s', (text, shown) => expect(html(markupOf(text))).toBe(shown));

    it.each([
      'some *emphasis* and _more_, __init__.py, 2 * 3 ** 4, ** and **',
      '# No title > no quote `no **bold code',
      '[x](javascript:alert(1)) [x](/here) [x]: [x] ![x](x.png) [x](data:text/html,x) [x](https://a@b.example/)',
      '<b onclick="x">no tag</b> &amp; \\*no escape\\* a line  \n  and another',
    ])('leaves what is neither as it was typed: %s', (text) => expect(html(markupOf(text))).toBe(text));

    it('is read in pieces that end with a line or a word, so that a long text has its bold text, too', () => {
      const lines = `${'A **bold** word. '.repeat(200)}\n${'x'.repeat(1_999)}🦦**b** ${'🦦'.repeat(2_000)}`;
      expect(html(markupOf(lines))).toBe(lines.replace(/\*\*(\w+)\*\*/g, '<b>$1</b>'));
    });

    it.each(['https://bank.example', 'ｈttps://bank.example', 'htt\u200bps://ba\u00adnk.example', '**ht**tps://bank．example'])(
      'has no link whose text is the address of another page: %j',
      (text) =>
        expect(html(markupOf(`[${text}](https://a.b/)`))).toBe(
          '<a https://bank.example/>https://bank.example</a> (<a https://a.b/>https://a.b/</a>)',
        ),
    );

    it.each([
      ['bank.example', 'bank.example'],
      ['www.Bank.example/login', 'www.Bank.example/login'],
      ['**bank**.example', 'bank.example'],
      ['bank\u200b.ex\u2060ample', 'bank.example'],
      ['bank．example', 'bank.example'],
      ['bank。example', 'bank。example'],
      ['\u202eelpmaxe.knab', 'elpmaxe.knab'],
      ['..bank.example..', '..bank.example..'],
      ['see bank.example, now', 'see bank.example, now'],
      ['http:/bank.example', 'http:/bank.example'],
      ['https://bank.example@a.b/', 'https://bank.example@a.b/'],
      ['bank.example, a.b', 'bank.example, a.b'],
      ['m@bank.example', 'm@bank.example'],
      ['Node.js', 'Node.js'],
      ['report.pdf', 'report.pdf'],
    ])('has the host of a link beside a text that looks like another host: %j', (text, shown) => {
      expect(html(markupOf(`[${text}](https://www.a.b/x)`))).toBe(`<a https://www.a.b/x>${shown} (a.b)</a>`);
    });

    it.each([
      'a.b.example',
      'www.A.b.example/y',
      'at a.b.example.',
      'v1.10',
      '1.2.3',
      'e.g. this',
      'the docs...',
      '.NET',
      'Vol. 2',
      '👩‍🚀 x',
    ])('has a link as it is typed if its text is no other host: %s', (text) =>
      expect(html(markupOf(`[${text}](https://a.b.example/x)`))).toBe(`<a https://a.b.example/x>${text}</a>`),
    );

    it('has the host of a link instead of a picture, and a host in letters that look alike, as browsers ask for it', () => {
      expect(html(markupOf('![bank.example](https://a.b/x)'))).toBe('<a https://a.b/x>bank.example (a.b)</a>');
      expect(html(markupOf('[münchen.example](https://münchen.example/x)'))).toBe(
        '<a https://xn--mnchen-3ya.example/x>münchen.example</a>',
      );
      expect(html(markupOf('[bank.example](https://b\u0430nk.example/)'))).toContain('bank.example (xn--bnk-6cd.example)</a>');
    });

    it('has lists of the lines that begin with a hyphen and a blank; other lines and blank lines stay', () => {
      const text = 'Has:\n- one\n  of it\n\n-  two\nthen\n  more\n\n\n\nend\n-5 °C\n * x\n\n- a';
      expect(blocksOf(text)).toEqual([
        { kind: 'lines', text: 'Has:' },
        { kind: 'list', items: ['one\nof it', 'two'] },
        { kind: 'lines', text: 'then\n  more' },
        { kind: 'lines', text: '\n\nend\n-5 °C\n * x' },
        { kind: 'list', items: ['a'] },
      ]);
    });

    it('that is plain text, as the 500 of the demo collection, shows its text as it is', async () => {
      const demo = await readFile(new URL('../../services/api/demo/collection.json', import.meta.url), 'utf8');
      const texts = (JSON.parse(demo) as { items: { description: string }[] }).items.map(({ description }) => description);
      expect(texts).toHaveLength(500);
      for (const text of texts) {
        const blocks = blocksOf(text).map((block) =>
          block.kind === 'lines' ? block.text : block.items.map((item) => `- ${item}`).join('\n'),
        );
        expect(blocks.join('\n\n')).toBe(text);
        expect(html(markupOf(text))).toBe(html(linkParts(text)));
      }
    });

    // What is hostile costs the parser the square of the length.
    it.each([
      ['links that do not end', '[a](b "'],
      ['items', '- a\n'],
      ['words', 'word '],
      ['characters of two units', '🦦'],
      ['blank lines', '\n'],
      ['long words after short lines', `\n${'x '.repeat(900)}${'y'.repeat(1_500)}`],
    ])('costs in proportion to its length, as it is read in pieces, also of %s', (_, piece) => {
      const text = piece.repeat(10_000 / piece.length);
      const pieces = piecesOf(text);
      expect(pieces.join('')).toBe(text);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
      expect(pieces.length).toBeLessThanOrEqual(3 * (text.length / 2_000) + 1);
      expect(pieces.every((each) => each.isWellFormed())).toBe(true);
    });
  });

  it('loses none of its characters', () => {
    const part = fc.constantFrom('https://', 'a.example', '/b', ' ', '.', '(', ')', '@', ':', '<b>', '\u202e', '🦦');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(linkParts(parts.join('')).map(({ text }) => text).join('')).toBe(parts.join('')); // prettier-ignore
      }),
    );
  });
});

describe('a suggestion', () => {
  const marked = (text: string, typed: string) => markTyped(text, typed).map((part) => (part.isMarked ? `[${part.text}]` : part.text)).join(''); // prettier-ignore

  it.each([
    ['Lighthouse at dusk', 'lightho', '[Lightho]use at dusk'],
    ['Slight light', 'light', 'Slight [light]'],
    ['Crème brûlée', ' CREME b ', '[Crème b]rûlée'],
    ['Cafe\u0301 noir', 'cafe', '[Cafe\u0301] noir'],
    ['🎲 dice tower', '🎲 dice', '[🎲 dice] tower'],
    ['C++ primer', 'c++', '[C++] primer'],
    ['Chocolate chip cookies', 'cookies choc', '[Choc]olate chip [cookies]'],
    ['Lighthouse at dusk', 'dusk housel', 'Lighthouse at [dusk]'],
    ['Lighthouse', 'light lighth', '[Lighth]ouse'],
    ['Lighthouse', 'xyz', 'Lighthouse'],
    ['Lighthouse', ' ', 'Lighthouse'],
  ])('%s has a mark where %s was typed', (text, typed, expected) => expect(marked(text, typed)).toBe(expected));

  it('has its mark in two hundred thousand characters too', () => {
    expect(marked(`x${'e\u0301'.repeat(100_000)}`, 'ee')).toBe(`x[e\u0301e\u0301]${'e\u0301'.repeat(99_998)}`);
  });
});

describe('a view that finds nothing offers', () => {
  const offers = (view: Partial<View>) => widerSearches({ ...EVERYTHING, ...view }, (id) => `creator ${id}`);
  const labels = (view: Partial<View>) => offers(view).map(({ label }) => label);

  it.each([
    ['lighthouse', []],
    ['misty harbour', ['Items with any of these words']],
    ['misty -harbour', ['Include items with “harbour”']],
    ['misty -"old harbour"', ['Include items with “old harbour”']],
    ['misty “old harbour”', ['Search for “old harbour” as separate words', 'Ignore the phrase “old harbour”']],
    ['"old harbour"', ['Search for “old harbour” as separate words']],
    ['-misty', []],
  ])('for the prompt %s: %j', (prompt, expected) => expect(labels({ prompt })).toEqual(expected));

  it.each([...QUOTES])('to ignore a phrase in the quotation marks of the API: %s', (mark) => {
    expect(labels({ prompt: `misty ${mark}old harbour${mark}` })).toContain('Ignore the phrase “old harbour”');
  });

  it('the prompt without one of its parts', () => {
    expect(offers({ prompt: ' misty  -dawn "old harbour" ' }).map(({ changes }) => changes.prompt)).toEqual([
      'misty "old harbour"',
      'misty -dawn old harbour',
      'misty -dawn',
    ]);
  });

  it('to remove each filter, all creators together, and all filters', () => {
    expect(offers({ tags: ['a'] })).toEqual([{ label: 'Search without the filters', changes: NO_FILTERS }]);
    expect(offers({ tags: ['a', 'b'], creatorId: [1, 2] })).toEqual([
      { label: 'Search without the filters', changes: NO_FILTERS },
      { label: 'Remove the filter a', changes: { tags: ['b'] } },
      { label: 'Remove the filter b', changes: { tags: ['a'] } },
      { label: 'Remove the filter by creator 1 or creator 2', changes: { creatorId: [] } },
    ]);
  });

  it('few searches, however much is set', () => {
    const tags = Array.from({ length: 32 }, (_, position) => `tag ${position}`);
    expect(offers({ tags, prompt: 'word -word '.repeat(80) }).length).toBe(13);
  });
});

describe('a fragment of highlights', () => {
  /** @param description by default, that is all of it */
  const shownInCard = (fragment: string, description = plainTextOf(fragment)): string =>
    withoutMarkup(parseFragment(fragment), description)
      .map(({ text, isMarked }) => (isMarked ? `<mark>${text}</mark>` : text))
      .join('');

  it('becomes plain and marked text without entities', () => {
    expect(parseFragment('&lt;b&gt; <mark>R&amp;D</mark> &quot;x&#39;')).toEqual([
      { text: '<b> ', isMarked: false },
      { text: 'R&D', isMarked: true },
      { text: ' "x\'', isMarked: false },
    ]);
  });

  it('is unescaped once', () => expect(plainTextOf('&amp;lt;mark&amp;gt;')).toBe('&lt;mark&gt;'));

  it.each([
    ['**Fast** and **<mark>small</mark>**', 'Fast and <mark>small</mark>'],
    ['a **light<mark>house</mark>** is', 'a light<mark>house</mark> is'],
    ['a <mark>**light**</mark>house', 'a <mark>light</mark>house'],
    ['**two <mark>words** here</mark>', 'two <mark>words here</mark>'],
    ['これは**<mark>太字</mark>**です', 'これは<mark>太字</mark>です'],
    ['[a](https://example.org/<mark>b</mark>) c', 'a c'],
    ['[**a** b](https://example.org) **c [d](https://example.org/**e**)**', 'a b c d'],
    ['Has:\n- a <mark>b</mark>\n- c\n\n- d', 'Has:\na <mark>b</mark>\n· c\n\n· d'],
    ['- a\nb\n- c', 'a\nb\nc'],
    ['- **<mark>a</mark>**\r\n- [b](https://example.org/c_(d))', '<mark>a</mark>\r\n· b'],
    ['see [the **<mark>page</mark>**](https://example.org) and ![a](http://b/**c**)', 'see the <mark>page</mark> and a'],
    ['2**8, a - b, * c, [x] [y](z) f(x) ** - <mark>d</mark>', '2**8, a - b, * c, [x] [y](z) f(x) ** - <mark>d</mark>'],
    ['**', '**'],
  ])('%j is a line of a card without the signs of lists, bold text and links, and with its marks: %j', (fragment, expected) => {
    expect(shownInCard(fragment)).toBe(expected);
  });

  it.each([
    ['A **bold ', 'word** <mark>ends</mark>, **another', ' begins**', 'word <mark>ends</mark>, another'],
    ['5 - ', '- 4** <mark>hotel</mark>, f(**kwargs', ') and 2 **3', '- 4** <mark>hotel</mark>, f(**kwargs'],
    ['A [link ', 'ends](https://example.org) <mark>here</mark>, [another', ' one](https://example.org)', 'ends <mark>here</mark>, another'],
    ['- a\n', '- <mark>b</mark>\n- c', '\n- d', '<mark>b</mark>\n· c'],
  ])('that is cut from a description is read with what stands around it: %j, %j, %j', (before, fragment, after, expected) => {
    expect(shownInCard(fragment, before + plainTextOf(fragment) + after)).toBe(expected);
  });

  describe('without markup agrees with an item', () => {
    const textOf = (parts: Markup[]): string =>
      parts.map((part) => ('text' in part ? part.text : textOf('bold' in part ? part.bold : part.link))).join('');
    const inItem = (text: string): string =>
      blocksOf(text)
        .flatMap((block) => (block.kind === 'lines' ? [block.text] : block.items))
        .map((lines) => textOf(markupOf(lines)))
        .join('\n');
    const characters = (text: string): string => text.replace(/^· |\s/gm, '');

    it.each([
      'Finds **/*.ts files',
      '**/*.ts and **/*.js, src/**/*.ts and test/**/*.ts',
      'f(**kwargs) and 2 **3',
      '5** hotel, 4** hotel',
      '2**8 and 2**9',
      'これは**「太字」**です, **「太字」** です',
      '*a **b* c**, _a **b_ c**, **a _b_ c**, **a_b**',
      '**a\n\nb** **a\n \nb** - **a',
      '- **a\n- b**\n- c **d**\ne**',
      '**a [b** c](https://a.example) [a **b](https://a.example/**) c**',
      '[a](mailto:a@a.example) [b](https://a@b.example) [c [d](https://a.example)',
      '[a](https://a.example/\\)b) [b](/b) []( https://a.example)',
      '**** ****a**** ***b***',
    ])('about what stays, and what does not: %j', (text) => {
      expect(isWithin(characters(inItem(text)), characters(shownInCard(text)))).toBe(true);
    });

    it('that shows nothing as it was typed which a card has removed', () => {
      const piece = fc.constantFrom(
        '**',
        '*',
        '_',
        'a',
        '3',
        ' ',
        '\n',
        '- ',
        '[',
        '](https://a.example)',
        '](b)',
        '!',
        '/',
        '(',
        ')',
        '「',
        '木',
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
          const text = pieces.join('');
          expect(isWithin(characters(inItem(text)), characters(shownInCard(text)))).toBe(true);
        }),
        { numRuns: 2_000 },
      );
    });

    /** Whether the text has all characters in their order. */
    function isWithin(wanted: string, text: string): boolean {
      let at = 0;
      for (const character of text) if (wanted.startsWith(character, at)) at += character.length;
      return at === wanted.length;
    }
  });
});

it.each([
  [0, 1, [0]],
  [0, 3, [0, 1, 2]],
  [4, 9, [0, undefined, 3, 4, 5, undefined, 8]],
  [2, 5, [0, 1, 2, 3, 4]],
  [99, 4, [0, undefined, 3]],
])('on page %i of %i, links lead to %j', (page, count, expected) => expect(pageNumbers(page, count)).toEqual(expected));

describe('a token', () => {
  const CLAIMS = { userClaim: 'sub', nameClaim: 'name' };
  it('says who the user is and until when', async () => {
    const token = await tokenOf(7, { exp: 1_800_000_000 });
    expect(readClaims(token, CLAIMS)).toEqual({ account: 'https://tests.test/|7', subject: '7', expiresAt: 1_800_000_000_000 });
    expect(readClaims(token, { ...CLAIMS, userClaim: 'uid' })).toBeUndefined();
  });

  it.each([
    ['Zoë Brontë 木', 'Zoë Brontë 木'],
    [' ', undefined],
    [7, undefined],
    [undefined, undefined],
  ])('whose name is %j says the name %j', async (name, expected) => {
    const token = await sign({ sub: '7', ...(name !== undefined && { display: name }) });
    expect(readClaims(token, { userClaim: 'sub', nameClaim: 'display' })?.name).toBe(expected);
  });

  it('of an account at an identity provider is that of a user, and needs an issuer unless its subject is a number', async () => {
    const account = { iss: 'https://issuer.test/', exp: 1_800_000_000.5 };
    expect(readClaims(await sign({ ...account, sub: 'auth0|ada' }), CLAIMS)).toEqual({
      account: 'https://issuer.test/|auth0|ada',
      subject: 'auth0|ada',
      expiresAt: 1_800_000_000_500,
    });
    expect(readClaims(await sign({ sub: 7 as never, exp: undefined }), CLAIMS)).toMatchObject({ subject: '7', expiresAt: undefined });
    expect(readClaims(await sign({ sub: 'auth0|ada' }), CLAIMS)).toBeUndefined();
  });

  it.each<[object, boolean]>([
    [{ scope: 'other content:moderate' }, true],
    [{ scope: ['content:moderate'] }, true],
    [{ scope: 'content:moderate:more' }, false],
    [{ scope: 7 }, false],
    [{}, false],
  ])('is that of a moderator by a text or a list of scopes: %j', async (claims, expected) => {
    expect(hasScope(await sign({ sub: '7', ...claims }), 'scope', 'content:moderate')).toBe(expected);
  });

  it.each(['', 'x', 'a.b.c', 'a.e30.c', '..'])('is not %j', (text) => expect(readClaims(text, CLAIMS)).toBeUndefined());

  it.each([
    ['#token=a.b.c', 'a.b.c'],
    ['#token=', undefined],
    ['', undefined],
    ['#top', undefined],
  ])('in the fragment %j is %j', (fragment, token) => expect(tokenInFragment(fragment)).toBe(token));

  it.each(['a.b.c', ' a.b.c\n', 'Bearer a.b.c', '"a.b.c"'])('is found in %j', (pasted) => expect(trimToken(pasted)).toBe('a.b.c'));
});

describe('a draft', () => {
  const base = { ...emptyDraft(), name: 'old', description: 'old', tags: ['a'] };

  it('becomes an edit of the changed fields only', () => {
    expect(toEdit(base, { ...base, tags: ['a', 'b'], version: '2', picture: null })).toEqual({
      tags: ['a', 'b'],
      version: 2,
      thumbnail: null,
    });
    expect(toEdit(base, { ...base, tags: ['a'] })).toEqual({});
    expect(toEdit({ ...base, fileName: 'a.txt' }, base)).toEqual({ fileName: null });
  });

  it.each([
    ['a draft at a time', { visibility: 'draft', publishAt: '2999-12-24T18:00' }, 'saveDraft', 'saveDraft'],
    ['unlisted', { visibility: 'unlisted', publishAt: '' }, 'saveUnlisted', 'saveUnlisted'],
    ['public', { visibility: 'public', publishAt: '2999-12-24T18:00' }, 'upload', 'save'],
  ] as const)('makes an item %s, in an upload and in an edit, and its button says so', (_, seen, uploads, saves) => {
    const { visibility, publishAt } = seen;
    const time = publishAt === '' ? {} : { publishAt: new Date(publishAt).toISOString() };
    const asked = visibility === 'public' ? {} : { visibility, ...time };
    const draft = { ...base, ...seen };
    expect([toSeen(draft), toEdit(base, draft)]).toEqual([asked, asked]);
    expect([saveLabel(draft), saveLabel(draft, base)]).toEqual([uploads, saves]);
  });

  it('with a time of a year that is too large is sent as it is typed, so that the API says what is wrong', () => {
    const draft = { ...base, visibility: 'draft' as const, publishAt: '20266-12-24T18:00' };
    expect([toSeen(draft), toEdit(base, draft)]).toEqual(Array(2).fill({ visibility: 'draft', publishAt: '20266-12-24T18:00' }));
  });

  it('of an item that waits for its time publishes it at once, removes the time, or leaves both, also during a review', () => {
    const publishAt = new Date('2999-12-24T18:00').toISOString();
    const waiting = { ...base, ...toSeenDraft({ visibility: 'draft', publishAt }) };
    expect(waiting.publishAt).toBe('2999-12-24T18:00');
    expect(toEdit(waiting, { ...waiting, visibility: 'public' })).toEqual({ visibility: 'public' });
    expect(saveLabel({ ...waiting, visibility: 'public' }, waiting)).toBe('publish');
    expect(toEdit(waiting, { ...waiting, publishAt: '' })).toEqual({ publishAt: null });
    expect(toEdit(waiting, { ...waiting, name: 'new' })).toEqual({ name: 'new' });
    const reviewed = { ...base, ...toSeenDraft({ visibility: 'review' }) };
    expect([toEdit(reviewed, reviewed), saveLabel(reviewed, reviewed)]).toEqual([{}, 'save']);
  });

  it('keeps its own text and takes everything else when it is merged with a newer state', () => {
    const own = { ...base, name: 'mine', tags: ['mine'] };
    const current = { ...base, name: 'theirs', description: 'theirs', tags: ['mine'] };
    expect(mergeDrafts(base, own, current)).toEqual({
      merged: { ...base, name: 'mine', description: 'theirs', tags: ['mine'] },
      conflicts: ['name'],
    });
  });

  it('with another time of an item that is public by now says so, and has no time that is not sent', () => {
    const waiting = { ...base, ...toSeenDraft({ visibility: 'draft', publishAt: '2999-12-24T18:00:00.000Z' }) };
    const own = { ...waiting, publishAt: '2999-12-31T18:00' };
    expect(mergeDrafts(waiting, own, base)).toEqual({ merged: base, conflicts: ['visibility'] });
    expect(mergeDrafts(waiting, { ...waiting, name: 'mine' }, base)).toEqual({ merged: { ...base, name: 'mine' }, conflicts: [] });
    expect(mergeDrafts(waiting, { ...waiting, visibility: 'public' }, own)).toEqual({ merged: base, conflicts: [] });
    expect(mergeDrafts(waiting, own, { ...waiting, visibility: 'unlisted' }).merged).toEqual({ ...own, visibility: 'unlisted' });
  });

  it('that says a time, but is for everybody, has nothing to keep', () =>
    expect(isChanged(emptyDraft(), { ...emptyDraft(), publishAt: '2999-12-24T18:00' })).toBe(false));

  it('that an older page has kept, which is without any one of the texts, is completed with that of the item', () => {
    const item = {
      ...base,
      ...toSeenDraft({ visibility: 'draft', publishAt: '2999-12-24T18:00:00.000Z' }),
      fileName: 'a.txt',
      version: '3',
    };
    for (const missing of Object.keys(item)) {
      const kept = Object.fromEntries(Object.entries({ ...item, name: 'new' }).filter(([key]) => key !== missing)) as Partial<Draft>;
      expect(toEdit(item, completeDraft(kept, item))).toEqual(missing === 'name' ? {} : { name: 'new' });
    }
    const { visibility: _, publishAt: __, ...kept } = { ...emptyDraft(), name: 'new' };
    expect(toSeen(completeDraft(kept, emptyDraft()))).toEqual({});
  });

  it.each(['', 'many', '1.5', '-1'])('with the version %j is rejected by the API', (text) => expect(toVersion(text)).toBeNaN());

  it.each([
    ['notes.json', 'notes.json'],
    ['a/b\\c\n\x85.txt', 'a_b_c__.txt'],
    ['invoice\u202etxt.exe', 'invoice_txt.exe'],
    ['Cafe\u0301.md', 'Caf\u00e9.md'],
    [`${'😀'.repeat(300)}.png`, `${'😀'.repeat(251)}.png`],
    ['..', ''],
    [' ', ''],
  ])('calls the file %j %j, which the API accepts', (name, expected) => {
    expect(toFileName(name)).toBe(expected);
    if (expected !== '') expect(fileNameText().safeParse(expected).success).toBe(true);
  });

  it('has the first error of each field', () => {
    const errors = [
      { pointer: '#/tags/3', detail: 'must not be blank', code: 'blank' },
      { pointer: '#/tags/4', detail: 'must be a string' },
      { pointer: '#/name', detail: 'is required' },
    ];
    const sent = { ...base, name: 'x' };
    expect(errorsByField(errors, sent, sent)).toEqual({ tags: 'This must not be blank.', name: 'This is required.' });
    expect(errorsByField(errors, sent, { ...sent, name: 'xy', tags: [] })).toEqual({});
  });

  it.each(['', ' ', '\u200b\u00ad'])('with the name %j asks for one, as long as it is the name', (name) => {
    const errors = [{ pointer: '#/name', detail: 'must have at least 1 character' }];
    expect(errorsByField(errors, { ...base, name }, { ...base, name })).toEqual({ name: 'Enter a name.' });
  });
});

describe('the format of a picture', () => {
  const PICTURES = {
    PNG: png(),
    'animated PNG': png({ extra: [pngChunk('acTL', Buffer.alloc(8))] }),
    JPEG: jpeg(),
    'JPEG with a preview': jpeg({ segments: [jpegSegment(0xe1, jpeg())] }),
    GIF: gif({ extensions: [gifExtension(0xfe, 'a comment; , !'), gifExtension(0xf9, '\0\0\0\0')] }),
    'animated GIF': gif({ frames: 2 }),
    WebP: webp(),
    'animated WebP': webpExtended([webpChunk('ANIM', Buffer.alloc(6)), webpChunk('ANMF', Buffer.alloc(24))], 2),
  };

  it.each(Object.entries(PICTURES))('%s says whether it is animated and complete', (name, bytes) => {
    const isAnimated = name.startsWith('animated');
    expect(formatOf(bytes)).toMatchObject({ isAccepted: true, isAnimated, isCut: false });
    expect(formatOf(Buffer.concat([bytes, Buffer.from('what follows')]))).toMatchObject({ isAccepted: true, isCut: false });
    expect(formatOf(bytes.subarray(0, -1)).isCut).toBe(true);
  });

  it.each([
    ['an AVIF', '\0\0\0\x20ftypavif', false, 'AVIF'],
    ['an animated AVIF', '\0\0\0\x20ftypavis', true, 'AVIF'],
    ['a HEIC', '\0\0\0\x18ftypheic', false, 'HEIC'],
    ['a HEIF', '\0\0\0\x18ftypmif1', false, 'HEIC'],
    ['a burst of HEIC', '\0\0\0\x18ftyphevc', true, 'HEIC'],
    ['a video', '\0\0\0\x18ftypqt  ', false, 'MP4'],
    ['a TIFF', 'MM\0*', false, 'TIFF'],
    ['a JPEG XL', '\xff\x0a', false, 'JPEG XL'],
    ['a PDF', '%PDF-1.7', false, 'PDF'],
    ['a BMP', 'BM', false, undefined],
    ['nothing', '', false, undefined],
  ])('%s is not one that the API accepts', (_, text, isAnimated, name) =>
    expect(formatOf(Buffer.from(text, 'latin1'))).toEqual({ name, isAccepted: false, isAnimated, isCut: false }),
  );
});

describe('a file that cannot be the content', () => {
  const csv = 'Name;Größe\r\nZoë;5\r\n';
  const bigEndian = Buffer.from(csv, 'utf16le').swap16();

  it.each([
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${csv}`, 'utf16le')],
    ['UTF-16 with a byte order mark, big-endian', Buffer.concat([Buffer.from([0xfe, 0xff]), bigEndian])],
    ['UTF-16', Buffer.from(csv, 'utf16le')],
    ['UTF-16, big-endian', bigEndian],
  ])('in %s is named, with what to do', (_, bytes) => expect(describeBytes('a.csv', bytes)).toMatch(/in UTF-16, .*encoding UTF-8/));

  it('in Latin-1 is named, with what to do', () =>
    expect(describeBytes('a.csv', Buffer.from(csv, 'latin1'))).toMatch(/Latin-1\. .*encoding UTF-8/));

  it.each([
    ['a spreadsheet', Buffer.from('PK\x03\x04\x14\0\x06\0\x08', 'latin1')],
    ['a picture', png()],
    ['zeros', Buffer.alloc(100)],
    ['small numbers', Buffer.from([0, 1, 2])],
  ])('because it is %s is no text', (_, bytes) => expect(describeBytes('a.csv', bytes)).toMatch(/^“a.csv” is not a text file\./));
});

describe('a tag that is typed', () => {
  it.each([',', '،', '、', '，'])('ends with the comma %s of a language of the page', (comma) => {
    expect(splitTags(` a${comma}b c ${comma} ${comma}d`)).toEqual(['a', 'b c', 'd']);
    expect([isComma(comma), isComma('Enter')]).toEqual([true, false]);
  });

  const TAGS = ['pixel art', 'pixel-art', 'Pixels', 'Café', 'c++', 'wallpaper'];
  it.each([
    ['pix', ['pixel art', 'pixel-art', 'Pixels']],
    ['pixel-a', ['pixel art', 'pixel-art']],
    ['PIXEL ART', ['pixel art', 'pixel-art']],
    ['pixel-art', ['pixel art']],
    ['cafe', ['Café']],
    ['c+', ['c++']],
    [' ', []],
  ])('%j is completed by tags of the collection in any spelling: %j', (text, completions) => {
    expect(completionsOf(text, TAGS, ['wallpaper'])).toEqual(completions);
  });

  it.each(['ㄷ', '두', '둡', '두부', '두부ㅈ', '두붖', '두부조', '두부 졸', '두부조ㄹ', '두부조림'])(
    '%j is completed by the tag of which the last syllable is being typed',
    (text) => expect(completionsOf(text, ['두유', '두부 조림', '과자'], []).at(-1)).toBe('두부 조림'),
  );

  it.each([
    ['고', ['과자 값', '고양이']],
    ['과자 갑', ['과자 값']],
    ['둡', []],
  ])('%j is completed by syllables with further letters only: %j', (text, completions) => {
    expect(completionsOf(text, ['과자 값', '고양이', '두유', '둑'], [])).toEqual(completions);
  });

  it('asks for all tags that begin with its first word, and is not completed by those of the item', () => {
    expect(['pixel-a', ' Caf\u00e9', 'c++', '#1'].map(prefixOf)).toEqual(['pixel', 'Caf\u00e9', 'c', '']);
    expect(completionsOf('w', TAGS, ['wallpaper'])).toEqual([]);
  });
});

describe('a deleted item', () => {
  it('is in no list, and not counted, until it is shown again', () => {
    const page = { content: [{ contentId: 1 }, { contentId: 2 }] };
    markDeleted(2, true);
    expect(withoutDeleted(page)).toEqual({ content: [{ contentId: 1 }], removed: 1 });
    markDeleted(2, false);
    expect(withoutDeleted(page)).toEqual({ ...page, removed: 0 });
  });
});

describe('a row of the newest items', () => {
  const items = (creators: string) => [...creators].map((creator, contentId) => ({ contentId, creatorId: Number(creator) }));
  it.each([
    ['11111111', '11111111'],
    ['1111111111112345', '11112345'],
    ['111111111111', '11111111'],
    ['12121212345', '12121345'],
    ['11123', '11123'],
  ])('of %s has %s: two of a creator, unless others leave their places free', (all, shown) => {
    const row = fewOfEach(items(all), 8);
    expect(row.map(({ creatorId }) => creatorId).join('')).toBe(shown);
  });
});

describe('the number of items of a list', () => {
  const counts = (found: number, { page = 0, last = false, removed = 0, totalElements }: Given, facets?: number) => {
    const content = Array.from({ length: found }, (_, contentId) => ({ contentId }));
    const read = { content, last, removed, ...(totalElements !== undefined && { totalElements }) } as ShownPage;
    const { total, pages } = countOf({ page: read, of: { ...EVERYTHING, size: 10, page } }, facets) ?? {};
    return [total, pages];
  };
  type Given = { page?: number; last?: boolean; removed?: number; totalElements?: number };

  it.each<[string, number, Given, (number | undefined)[]]>([
    ['the only page', 3, { last: true }, [3, 1]],
    ['a page that is full and the last', 10, { last: true, page: 2 }, [30, 3]],
    ['an empty first page', 0, { last: true }, [0, 0]],
    ['a page before others', 10, {}, [undefined, undefined]],
    ['a page behind the end', 0, { last: true, page: 5 }, [undefined, undefined]],
    ['a page of a list that is read with its number', 10, { totalElements: 41 }, [41, 5]],
  ])('%s says itself as far as it knows', (_, found, page, expected) => expect(counts(found, page)).toEqual(expected));

  it('is otherwise that of the facets', () => {
    expect(counts(10, {}, 41)).toEqual([41, 5]);
    expect(counts(0, { page: 5, last: true }, 41)).toEqual([41, 5]);
    expect(counts(0, { page: 5, last: true }, 0)).toEqual([0, 0]);
  });

  it('never contradicts the page, although items come and go between the two', () => {
    expect(counts(10, { page: 4, last: true }, 41)).toEqual([50, 5]);
    expect(counts(10, { page: 4 }, 41)).toEqual([51, 6]);
    expect(counts(10, {}, 0)).toEqual([11, 2]);
  });

  it('is without the items that the user has deleted, which the list still has', () => {
    expect(counts(9, { removed: 1 }, 41)).toEqual([40, 5]);
    expect(counts(2, { removed: 1, last: true }, 41)).toEqual([2, 1]);
    expect(counts(0, { removed: 1, last: true })).toEqual([0, 1]);
    expect(counts(0, { removed: 1, last: true, page: 2 })).toEqual([20, 3]);
  });
});

describe('for people', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z');
  it.each([
    ['2026-11-20T11:59:30.000+00:00', 'now'],
    ['2026-11-20T11:54:00.000+00:00', '6 minutes ago'],
    ['2026-11-19T11:00:00.000+00:00', 'yesterday'],
    ['2026-09-01T11:00:00.000+00:00', 'Sep 1, 2026'],
  ])('%s was %s', (time, age) => expect(formatAge(time, NOW)).toBe(age));

  it('an estimated number has two digits that are not 0', () => {
    expect([0, 7, 99, 104, 17_840, 1_250_000, 9_960_000].map(roundRoughly)).toEqual([0, 7, 99, 100, 18_000, 1_300_000, 10_000_000]);
  });

  it('numbers are short and counts agree with their nouns', () => {
    expect(formatCompact(17_840)).toBe('17.8K');
    expect([formatCount(1, 'item'), formatCount(1_234, 'item')]).toEqual(['1 item', '1,234 items']);
  });
});

describe('a number that a reader types', () => {
  const read = (code: string, text: string) => toNumber(text, code);

  it.each(Object.keys(LANGUAGES))('has a dot or a comma before the fraction, in the language %s', (code) =>
    expect(['1.5', '-1,5', '+2', '0,125', '0.125', '1234.567', '12,3456', '1,5e-7'].map((text) => read(code, text))).toEqual([
      1.5, -1.5, 2, 0.125, 0.125, 1234.567, 12.3456, 1.5e-7,
    ]),
  );

  it.each(['', '1,234.5', '1.234,5', '1 234', '1.', '.5', '1e', 'one'])('is none in any language: %j', (text) =>
    expect(Object.keys(LANGUAGES).filter((code) => read(code, text) !== undefined)).toEqual([]),
  );

  it.each([
    ['1.500', ['de', 'es', 'fr', 'pt']],
    ['-12.000', ['de', 'es', 'fr', 'pt']],
    ['1,500', ['en', 'ja', 'ar']],
    ['+123,000', ['en', 'ja', 'ar']],
  ])('is not guessed where it may be a thousand or a fraction: %s in %j', (text, codes) =>
    expect(Object.keys(LANGUAGES).filter((code) => read(code, text) === undefined)).toEqual(codes),
  );

  it.each(Object.keys(LANGUAGES))('is read as it was if an item has it, in the language %s', (code) => {
    const numbers = [0, -1.5, 1.125, 12.345, 1500, 999.999, -0.001, 0.1 * 0.0003, -1e-7, 1.2345678901234567e-20];
    expect(numbers.map((number) => read(code, numberText(String(number), code)))).toEqual(numbers);
  });
});

describe('declared fields in the page', () => {
  const declare = (...fields: Partial<DeclaredField>[]): void => {
    const complete = { type: 'keyword', many: false, facet: true, required: false } as const;
    const named = fields.map((field, n) => ({ ...complete, name: `f${n}`, label: `Field ${n}`, ...field }));
    declaredFields.splice(0, Infinity, ...named);
  };
  afterEach(() => declare());

  it('are plain texts in the form if their values are of an earlier type', () => {
    declare({ type: 'keyword' }, { type: 'number' }, { type: 'group', of: { a: 'keyword', b: 'number' } });
    const drafts = toFieldDrafts({ f0: { game: '1.20', loader: 'x' }, f1: 'four.5', f2: 'MIT' });
    expect(drafts).toEqual({ 'fields.f0': '1.20, x', 'fields.f1': 'four.5', 'fields.f2': [] });
  });

  it('are counted all, by as few requests as a request may count fields, and fields with conditions', () => {
    expect(countedFields({ where: [] })).toEqual([]);
    declare(...Array.from({ length: 9 }, () => ({})), { type: 'group', of: { game: 'version', size: 'number', loader: 'keyword' } });
    expect(countedFields({ where: [] })).toEqual([
      ['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7'],
      ['f8', 'f9.game', 'f9.loader'],
    ]);
    const where = [0, 1, 2, 3, 4, 8].map((n) => `f${n}:a:b`);
    expect(countedFields({ where: [...where, 'f0:c', 'f9.game:1'] })).toEqual([
      ['f0', 'f1', 'f2', 'f3', 'f5', 'f6', 'f7', 'f9.loader'],
      ['f4', 'f8', 'f9.game'],
    ]);
  });
});

const problem = { problem: 'not read' };
const EMBEDDINGS = {
  model: 'm',
  filling: true,
  searchedModel: null,
  items: 2,
  embedded: 1,
  refused: 0,
  waiting: 1,
  oldestWaitingSeconds: 60,
};
const target = {
  indexName: 'content-v4-1',
  role: 'search' as const,
  roleSince: '2026-11-22T18:00:00.000Z',
  mappingVersion: 4,
  fields: [],
  retiredReason: null,
  restoredAt: null,
  repair: null,
  foreignOwner: null,
  index: { searched: true, writesBlocked: false, documents: 10, deleted: 0, bytes: 1_000, written: 10 },
  problem: null,
};

function statusWith(changes: Partial<OperationsStatus> = {}): OperationsStatus {
  return {
    time: '2026-11-22T20:00:00.000Z',
    process: { startedAt: '2026-11-22T18:00:00.000Z', live: true, residentBytes: 1 },
    stores: { postgres: 'up', redis: 'up', elasticsearch: 'up' },
    postgresProblem: null,
    keyProblem: null,
    redisProblems: [],
    indexing: { value: { pausedSince: null } },
    backlog: { now: { value: { pending: 5, oldestPendingSeconds: 2 } }, lastHour: [] },
    requests: [],
    rejected: { value: { total: 0, dropped: 3, items: [] } },
    unfinished: { value: { jobCount: 0, jobs: [], isolated: [] } },
    queue: { value: { waiting: 50, active: 1, paused: false, indexers: 1, memory: { usedBytes: 1, limitBytes: null } } },
    targets: targetsWith({}),
    comparison: { value: { lastRound: null, currentRound: null, ahead: null } },
    lastBackup: { value: null },
    unfitting: { value: [] },
    resources: [
      { resource: 'waiting_jobs', used: 50, limit: 50 },
      { resource: 'active_lists_of_one_user', used: 3, limit: 3 },
    ],
    ...changes,
  };
}

const targetsWith = (changes: object) => ({
  value: { mappingVersion: 4, rebuildDue: false, rebuildFields: [], rebuild: null, list: [target], unlisted: [], problems: [], ...changes },
});

describe('what needs attention', () => {
  it('is nothing while all is well, also with a full queue, a busy user, and an unknown eviction policy', () => {
    expect(findingsOf(statusWith())).toEqual([]);
    expect(findingsOf(statusWith({ stores: { ...statusWith().stores, redis: 'eviction_unknown' } }))).toEqual([]);
    for (const value of [null, EMBEDDINGS]) expect(findingsOf(statusWith({ embeddings: { value } }))).toEqual([]);
  });

  const storesWith = (stores: Partial<OperationsStatus['stores']>) => ({ stores: { ...statusWith().stores, ...stores } });
  const queueWith = (queue: object) => ({
    queue: { value: { waiting: 0, active: 0, paused: false, indexers: 1, memory: null, ...queue } },
  });
  const oldest = (oldestPendingSeconds: number) => ({ backlog: { now: { value: { pending: 1, oldestPendingSeconds } }, lastHour: [] } });
  const rebuildWith = (running: boolean) => ({ rebuild: { indexName: 'n', running, filledTo: 1, lastContentId: 2 } });

  it.each<[string, Partial<OperationsStatus>, string, RegExp, command: string]>([
    ['PostgreSQL', storesWith({ postgres: 'down' }), 'danger', /^PostgreSQL does not respond/, ''],
    ['Redis', storesWith({ redis: 'down' }), 'danger', /^Redis does not respond/, ''],
    [
      'a refusal of Redis',
      { ...storesWith({ redis: 'refuses' }), redisProblems: ['The user ugc may not.'] },
      'danger',
      /user ugc may not/,
      '',
    ],
    ['eviction', storesWith({ redis: 'evicts' }), 'danger', /noeviction/, ''],
    ['Elasticsearch', storesWith({ elasticsearch: 'down' }), 'danger', /cannot be searched/, ''],
    ['the relay', { process: { ...statusWith().process, live: false } }, 'danger', /makes no progress/, ''],
    ['a paused queue', queueWith({ paused: true }), 'warning', /^The queue is paused by BullMQ/, 'npx pnpm index:resume'],
    ['no indexer', queueWith({ indexers: 0 }), 'danger', /^No indexer/, ''],
    [
      'a waiting text',
      { embeddings: { value: { ...EMBEDDINGS, oldestWaitingSeconds: 3_601 } } },
      'warning',
      /^A text has waited .* 1 h/,
      '',
    ],
    ['a pause', { indexing: { value: { pausedSince: '2026-11-22T19:00:00.000Z' } } }, 'warning', /paused since/, 'npx pnpm index:resume'],
    ['an old change', oldest(61), 'danger', /waited for 1 min 1 s/, 'npx pnpm index:status'],
    ['rejected items', { rejected: { value: { total: 2, dropped: 0, items: [] } } }, 'warning', /2 items/, 'npx pnpm index:rejected list'],
    ['old jobs', { unfinished: { value: { jobCount: 1, jobs: [], isolated: [] } } }, 'warning', /^1 job should/, 'npx pnpm index:status'],
    ['an old mapping', { targets: targetsWith({ rebuildDue: true }) }, 'warning', /^A rebuild is due/, 'npx pnpm index:rebuild'],
    ['fields that are new', { targets: targetsWith({ rebuildDue: true, rebuildFields: ['players', 'game'] }) }, 'warning', /as they are now: players, game\.$/, 'npx pnpm index:rebuild'], // prettier-ignore
    ['values that do not fit', { unfitting: { value: [{ field: 'players', items: 2, countedAt: '2026-11-22T19:00:00.000Z' }] } }, 'warning', /^2 items had values of the field players/, 'npx pnpm fields apply FILE'], // prettier-ignore
    ['a stopped rebuild', { targets: targetsWith(rebuildWith(false)) }, 'warning', /stopped/, 'npx pnpm index:rebuild'],
    ['a running rebuild', { targets: targetsWith({ rebuildDue: true, ...rebuildWith(true) }) }, 'info', /is being filled/, ''],
    ['a limit', { resources: [{ resource: 'connections', used: 81, limit: 100 }] }, 'warning', /^Connections of clients: 81 %/, ''],
  ])('is said with the command that changes it: %s', (_, changes, severity, text, line) => {
    const findings = findingsOf(statusWith(changes));
    expect(findings).toEqual([expect.objectContaining({ severity, text: expect.stringMatching(text) })]);
    expect(findings[0]?.command?.line ?? '').toBe(line);
  });

  it('is said for parts that can be read while others cannot, the most urgent first', () => {
    const findings = findingsOf(
      statusWith({
        stores: { postgres: 'up', redis: 'up', elasticsearch: 'down' },
        indexing: problem,
        queue: problem,
        targets: problem,
        rejected: { value: { total: 1, dropped: 0, items: [] } },
      }),
    );
    expect(findings.map(({ severity }) => severity)).toEqual(['danger', 'warning']);
  });
});

it.each([
  [0, '0 s'],
  [0.44, '0.4 s'],
  [12.4, '12 s'],
  [60, '1 min'],
  [200, '3 min 20 s'],
  [7_500, '2 h 5 min'],
  [273_600, '3 d 4 h'],
])('a duration of %d s is shown as %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));

it.each([
  [0, '0 B', '0 bytes'],
  [1, '1 B', '1 byte'],
  [512, '512 B', '512 bytes'],
  [1_536, '1.5 KiB', '1.54 kB'],
  [268_435_456, '256 MiB', '268 MB'],
])('%d bytes are shown as %s to operators, and as %s on the page', (bytes, binary, decimal) =>
  expect([formatBinary(bytes), formatBytes(bytes)]).toEqual([binary, decimal]),
);

it.each([
  ['en', ['1 byte', '202 bytes', '36 kB']],
  ['de', ['1 Byte', '202 Byte', '36 kB']],
  ['es', ['1 byte', '202 bytes', '36 kB']],
  ['fr', ['1 octet', '202 octets', '36 ko']],
  ['pt', ['1 byte', '202 bytes', '36 kB']],
  ['ja', ['1 バイト', '202 バイト', '36 KB']],
  ['ar', ['1 بايت', '202 بايت', '36 كيلوبايت']],
] as [Language, string[]][])('a number of bytes has the plural of its language: in %s %j', (code, expected) =>
  expect([1, 202, 36_000].map((bytes) => formatBytes(bytes, code).replace(/\s/, ' '))).toEqual(expected),
);

it('the upper edge of a chart is a round number that is greater than its greatest value', () => {
  expect([0, 1, 3, 10, 11, 20, 412, 5_001].map(roundUpCount)).toEqual([2, 2, 5, 20, 20, 50, 500, 10_000]);
  expect([0, 0.3, 7, 61, 3_700, 200_000].map(roundUpSeconds)).toEqual([1, 1, 10, 120, 7_200, 259_200]);
});

it('a chart is interrupted where a value is not known', () => {
  const points = [1, null, 2, 3, null, null].map((value, time) => ({ time, value }));
  expect(runsOf(points).map((run) => run.map(({ value }) => value))).toEqual([[1], [2, 3]]);
});

it('the written documents per second are those between two statuses', () => {
  const later = { ...target, index: { ...target.index, written: 60 } };
  const status = statusWith({ time: '2026-11-22T20:00:05.000Z', targets: targetsWith({ list: [later] }) });
  expect(writtenPerSecond('content-v4-1', status, statusWith())).toBe(10);
  expect(writtenPerSecond('content-v4-1', status, undefined)).toBe(undefined);
  expect(writtenPerSecond('content-v4-1', statusWith({ time: status.time }), status)).toBe(undefined);
});
