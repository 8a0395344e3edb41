import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { SearchFailed } from './search-failed.ts';

/** The index behind the alias, and the number of its shards. */
export type SearchedIndex = { name: string; mappingVersion: number; shards: number };

const MAX_AGE_MS = 1_000;
const FIELDS = ['*.mappings._meta.version', '*.settings.index.number_of_shards'];

/** Elasticsearch is asked, and not PostgreSQL, whose list of targets changes a moment later than the alias. */
export class SearchedIndexLookup {
  readonly #elasticsearch: Elasticsearch;
  readonly #alias: string;
  #found: Promise<SearchedIndex> | undefined;
  #latest: SearchedIndex | undefined;
  #askedAtMs = 0;

  constructor({ elasticsearch, alias }: { elasticsearch: Elasticsearch; alias: string }) {
    this.#elasticsearch = elasticsearch;
    this.#alias = alias;
  }

  /**
   * Concurrent calls, and calls within a second, share a result. After an error the next call asks again.
   * @throws SearchFailed if the alias has several indices or none with a mapping version · errors of Elasticsearch
   */
  find(): Promise<SearchedIndex> {
    if (!this.#found || performance.now() - this.#askedAtMs > MAX_AGE_MS) {
      this.#askedAtMs = performance.now();
      this.#found = this.#ask();
    }
    return this.#found;
  }

  /** The next call of `find` asks again, unless this has happened since `outdated` was found. */
  forget(outdated: SearchedIndex): void {
    if (this.#latest === outdated) this.#found = undefined;
  }

  async #ask(): Promise<SearchedIndex> {
    try {
      const indices = await this.#elasticsearch.indices.get({ index: this.#alias, filter_path: FIELDS });
      return (this.#latest = toSearchedIndex(indices));
    } catch (error) {
      this.#found = undefined;
      throw error;
    }
  }
}

function toSearchedIndex(indices: estypes.IndicesGetResponse): SearchedIndex {
  const [[name, { mappings, settings }] = ['', {}], ...others] = Object.entries(indices);
  if (others.length > 0) throw new SearchFailed('the alias has several indices');
  const mappingVersion: unknown = mappings?._meta?.['version'];
  if (typeof mappingVersion !== 'number') throw new SearchFailed(`the index ${name} has no mapping version`);
  return { name, mappingVersion, shards: Number(settings?.index?.number_of_shards) };
}
