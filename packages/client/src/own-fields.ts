import type { ContentItem, SortKey } from './generated/types.gen.ts';
import type {
  Abortable,
  Changes,
  ItemOf,
  ListQuery,
  NewItem,
  PageOf,
  UgcClient,
  UploadedItem,
  UploadOptions,
  WaitOptions,
} from './ugc-client.ts';

/** `Own` has the types of the fields that the operator has declared, such as `{ licence: string; players: number }`. */
type WithOwn<Item extends object, Values> = Omit<Item, 'fields'> & { fields?: Values };
type WithOwnItems<Page extends { content: object[] }, Own> = Omit<Page, 'content'> & {
  content: WithOwn<Page['content'][number], Partial<Own>>[];
};
type OwnItem<Own> = WithOwn<NewItem, Partial<Own>>;
/** Null removes a field. */
type OwnChanges<Own> = WithOwn<Changes, { [Name in keyof Own]?: Own[Name] | null }>;
type OwnChange<Own> = OwnChanges<Own> | ((item: ContentItem) => OwnChanges<Own> | undefined | Promise<OwnChanges<Own> | undefined>);
/** An order by a declared field is `fields.players,desc`. */
type OwnQuery = Omit<ListQuery, 'sort'> & { sort?: (SortKey | `fields.${string}`)[] };
type QueryOf<Q extends OwnQuery> = Omit<Q, 'sort'> & ListQuery;
type OwnPage<Q extends OwnQuery, Own> = WithOwnItems<PageOf<QueryOf<Q>>, Own>;
type Timeout = { timeoutSeconds?: number };

type OwnMethods<Own> = {
  upload(item: OwnItem<Own>, options?: UploadOptions): Promise<UploadedItem>;
  uploadAndWait(item: OwnItem<Own>, options?: WaitOptions): Promise<UploadedItem>;
  edit(id: number, change: OwnChange<Own>, options?: Abortable): Promise<ContentItem>;
  editAndWait(id: number, change: OwnChange<Own>, options?: Abortable & Timeout): Promise<ContentItem>;
  list<Q extends OwnQuery>(query?: Q, options?: Abortable): Promise<OwnPage<Q, Own>>;
  pages<Q extends OwnQuery>(query?: Q, options?: Abortable): AsyncGenerator<OwnPage<Q, Own>, void>;
  items<Q extends OwnQuery>(query?: Q, options?: Abortable): AsyncGenerator<WithOwn<ItemOf<QueryOf<Q>>, Partial<Own>>, void>;
};
/** A client whose items have fields of these types. */
export type ClientOf<Own> = Omit<UgcClient, keyof OwnMethods<Own>> & OwnMethods<Own>;

/** @returns the same client, with the types of the declared fields */
export function withOwnFields<Own>(client: UgcClient): ClientOf<Own> {
  return client as unknown as ClientOf<Own>;
}
