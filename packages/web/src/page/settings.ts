import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import type { SignInSettings } from '@ugc/shared/contracts/sign-in';

const { dataset } = document.documentElement;

/** What the API says about itself in the document. */
export const settings = {
  /** The name of the service for people. */
  name: dataset['name'] ?? '',
  userClaim: dataset['userClaim'] ?? 'sub',
  nameClaim: dataset['nameClaim'] ?? 'name',
  scopeClaim: dataset['scopeClaim'] ?? 'scope',
  dataMaxCharacters: Number(dataset['dataMaxCharacters']),
  thumbnailMaxBytes: Number(dataset['thumbnailMaxBytes']),
  thumbnailMaxSide: Number(dataset['thumbnailMaxSide']),
  /** What the place is, by its operator. */
  about: dataset['about'],
  /** The address of a picture. */
  logo: dataset['logo'],
  /** Where an item is reported: `{id}` stands for its id. */
  report: dataset['report'],
  /** In the order of the form and of the filters. */
  fields: JSON.parse(dataset['fields'] ?? '[]') as DeclaredField[],
  /** Null: tokens are pasted. */
  signIn: JSON.parse(dataset['signIn'] ?? 'null') as SignInSettings | null,
};
