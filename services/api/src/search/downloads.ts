import type { PublicDownloads } from '@ugc/items/changes/content-item';
import type { SearchedIndex } from './index-lookup.ts';

// Which of the two numbers of downloads, all and those by users, answers what. An index of 1.0.0 has only the first.

/** The fields of the index. */
type Fields = { downloadsCount: string; latestDownloadsCount: string; facet: string };

const FIELDS: Record<PublicDownloads, Fields> = {
  all: { downloadsCount: 'downloadsCount', latestDownloadsCount: 'latestDownloadsCount', facet: 'facets.downloads' },
  users: { downloadsCount: 'userDownloads', latestDownloadsCount: 'latestUserDownloads', facet: 'facets.userDownloads' },
};

/** Those that requests sort by, filter by and count. */
export function publicFields({ publicDownloads = 'all' }: Partial<Pick<SearchedIndex, 'publicDownloads'>>): Fields {
  return FIELDS[publicDownloads];
}

export function knowsUserDownloads({ fields }: Pick<SearchedIndex, 'fields'>): boolean {
  return Object.values(FIELDS.users).every((field) => fields.has(field));
}

/** @returns the field that decides which items everybody is shown, whatever number is public */
export function popularField(index: Pick<SearchedIndex, 'fields'>): string {
  return FIELDS[knowsUserDownloads(index) ? 'users' : 'all'].downloadsCount;
}
