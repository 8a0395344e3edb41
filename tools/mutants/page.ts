import type { Mutant } from './mutant.ts';

/** Rules of the web page that decide who a user is, and when the page is left. */
export const PAGE_MUTANTS: Mutant[] = [
  {
    file: 'packages/web/src/sign-in/silent-try.ts',
    within: 'isSilent',
    from: 'navigatedMs - pending.leftMs < SOON_MS',
    to: 'true',
    why: 'with a provider that ignores prompt=none, each reload of the page ends at its form',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/sign-in/silent-try.ts',
    within: 'isSilent',
    from: ': needsUser({ error })',
    to: ': false',
    why: 'a provider that does not know the user is never asked again without a click',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/api/name-among.ts',
    from: 'theirs === name && other !== id',
    to: 'theirs === name && other < id',
    why: 'one of two users with the same name is shown without an id',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/token/claims.ts',
    within: 'decodeClaims',
    from: 'new TextDecoder().decode(bytes)',
    to: 'atob(base64)',
    why: 'a name with accents is shown with wrong characters until the first write',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/item/link-parts.ts',
    within: 'withoutPunctuation',
    from: 'if (isUnopened) unopened[last] = (unopened[last] ?? 0) - 1;',
    to: 'if (isUnopened) continue;',
    why: 'one bracket of the text after an address takes those of the address away',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/item/markup.ts',
    from: 'const AT_ONCE = 2_000;',
    to: 'const AT_ONCE = 200_000;',
    why: 'a description of 100,000 hostile characters blocks the page for seconds',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/item/link-parts.ts',
    from: 'if (address.length > MAX_LENGTH) return undefined;',
    to: '',
    why: 'an address of ten thousand characters is a link',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/item/link-parts.ts',
    from: 'if ((AUTHORITY.exec(address)?.[0].length ?? 0) > MAX_AUTHORITY_LENGTH) return undefined;',
    to: '',
    why: 'a description of five addresses of Chinese characters blocks the page for 60 ms',
    test: 'unit/web-page',
  },
  {
    file: 'packages/web/src/page/form/tag-completions.ts',
    within: 'keyOf',
    from: 'KEYS_OF[letter] ?? letter',
    to: 'letter',
    why: 'a Korean tag is not completed while a syllable has a letter that belongs to the next one',
    test: 'unit/web-page',
  },
];
