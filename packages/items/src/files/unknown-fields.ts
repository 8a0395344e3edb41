import { meantBy, stemOf } from '../fields/meant-names.ts';

/** Names are of the lines: what else a file has must not take memory without end. */
const FIELDS_MAX = 100;
const NAME_MAX = 100;

/** What other programs call a field, by stem. */
const MISTAKEN: Record<string, string[]> = {
  externalId: ['id', 'key', 'guid', 'uuid', 'slug', 'itemid'],
  name: ['title', 'heading', 'label', 'titel', 'titre', 'titulo', 'título', 'bezeichnung', 'nom', 'nombre'],
  description: ['summary', 'body', 'text', 'content', 'caption', 'abstract', 'desc', 'beschreibung', 'descripcion', 'descripción'],
  data: ['payload', 'file'],
  version: ['revision', 'release'],
  tags: [
    'tag',
    'keyword',
    'keywords',
    'category',
    'categories',
    'labels',
    'topics',
    'taglist',
    'schlagworte',
    'schlagwörter',
    'kategorie',
    'etiquetas',
  ],
  thumbnail: ['image', 'picture', 'preview', 'icon', 'thumb', 'cover', 'screenshot'],
  creator: [
    'author',
    'user',
    'owner',
    'uploader',
    'creatorname',
    'authorname',
    'username',
    'uploadedby',
    'createdby',
    'autor',
    'auteur',
    'benutzer',
  ],
  creatorId: ['authorid', 'userid', 'ownerid', 'uploaderid'],
  createdAt: [
    'created',
    'createdon',
    'createddate',
    'creationdate',
    'date',
    'published',
    'publishedat',
    'uploaded',
    'uploadedat',
    'timestamp',
    'released',
    'releasedate',
    'releasedat',
    'publicationdate',
    'pubdate',
    'posted',
    'postedat',
    'dateadded',
    'datecreated',
    'datum',
    'fecha',
    'time',
  ],
  updatedAt: ['updated', 'updatedon', 'updateddate', 'modified', 'modifiedat', 'lastmodified', 'lastupdated', 'changedat'],
  downloadsCount: ['downloads', 'downloadcount', 'numdownloads', 'totaldownloads', 'downloaded'],
  latestDownloadsCount: ['latestdownloads', 'recentdownloads'],
  ratings: ['rating', 'score', 'stars', 'votes', 'avgrating', 'averagerating', 'ratingcount', 'ratingsum'],
  hidden: ['ishidden'],
  visibility: ['status', 'state', 'access', 'privacy'],
  publishAt: ['scheduledat', 'publishdate', 'publishon', 'releasedate', 'releaseat'],
  fields: ['attributes', 'attrs', 'properties', 'props', 'metadata', 'meta', 'customfields', 'custom', 'facets', 'params'],
  deleted: ['isdeleted', 'removed', 'deletedat'],
  'creator.credential': ['id', 'login', 'email', 'sub', 'account', 'handle', 'userid'],
  'creator.username': ['name', 'displayname', 'nickname'],
  'ratings.count': ['number', 'votes', 'total', 'ratingcount'],
  'ratings.sum': ['average', 'avg', 'mean', 'stars', 'score', 'ratingsum'],
  'hidden.reason': ['why', 'message', 'comment'],
  'hidden.since': ['at', 'hiddenat', 'date'],
  'hidden.by': ['moderator', 'hiddenby', 'user'],
};

/** @returns the fields that a name of another program may be, each with its place among the names of that field, the likeliest being 0 */
export function fieldsMeantBy(name: string): { field: string; rank: number }[] {
  const stem = stemOf(name);
  return Object.entries(MISTAKEN).flatMap(([field, names]) => {
    const rank = [stemOf(field), ...names].indexOf(stem);
    return rank === -1 || field.includes('.') ? [] : [{ field, rank }];
  });
}

export type UnknownField = { field: string; lines: number; known?: string };

/** Counts the fields of lines that an import does not know, and ignores. */
export class UnknownFields {
  readonly #known: Map<string, string[]>;
  readonly #lines = new Map<string, number>();

  /** @param known the names of the fields of a line, and those of the fields within each of them */
  constructor(known: Map<string, string[]>) {
    this.#known = known;
  }

  add(value: unknown): void {
    if (!isObject(value)) return;
    const unknown = Object.entries(value).flatMap(([name, inner]) => this.#unknownIn(name, inner));
    for (const field of unknown.map((name) => name.slice(0, NAME_MAX))) {
      const lines = this.#lines.get(field) ?? 0;
      if (lines > 0 || this.#lines.size < FIELDS_MAX) this.#lines.set(field, lines + 1);
    }
  }

  /** @returns the most frequent first, each with the name that is perhaps meant */
  list(): UnknownField[] {
    const all = [...this.#lines].map(([field, lines]) => ({ field, lines, ...this.#meantBy(field) }));
    return all.toSorted((one, other) => other.lines - one.lines);
  }

  /** A field within another one has its name after a dot. */
  #unknownIn(name: string, inner: unknown): string[] {
    const within = this.#known.get(name);
    if (!within) return [name];
    if (within.length === 0 || !isObject(inner)) return [];
    return Object.keys(inner).flatMap((each) => (within.includes(each) ? [] : [`${name}.${each}`]));
  }

  #meantBy(field: string): { known?: string } {
    const outer = [...this.#known].find(([name, within]) => within.length > 0 && field.startsWith(`${name}.`));
    const prefix = outer ? `${outer[0]}.` : '';
    const names = outer ? outer[1].map((name) => `${prefix}${name}`) : [...this.#known.keys()];
    const byStem = new Map(names.map((name) => [stemOf(name.slice(prefix.length)), name]));
    const stem = stemOf(field.slice(prefix.length));
    const mistaken = names.find((name) => MISTAKEN[name]?.includes(stem));
    const declared = outer ? undefined : this.#known.get('fields')?.find((name) => stemOf(name) === stem);
    const known = byStem.get(stem) ?? (declared && `fields.${declared}`) ?? mistaken ?? meantBy(stem, byStem);
    return known === undefined ? {} : { known };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
