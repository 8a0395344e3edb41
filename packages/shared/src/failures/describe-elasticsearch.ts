import { errors } from '@elastic/elasticsearch';
import { describeElasticsearchAddress, type ElasticsearchAccess } from '../config/elasticsearch-address.ts';
import { OPENSEARCH, UnsupportedOpenSearch } from '../elasticsearch/opensearch.ts';
import { failureOf, firstLine, passwordsIn, type StoreFailure } from './describe.ts';

/** @returns undefined if the error is not one of Elasticsearch */
export function describeElasticsearchFailure(error: unknown, url: string, access: ElasticsearchAccess = {}): StoreFailure | undefined {
  if (!(error instanceof errors.ElasticsearchClientError)) return undefined;
  const said = error instanceof errors.ResponseError ? describeResponse(error) : firstLine(error);
  const secrets = [access.ELASTICSEARCH_API_KEY, ...passwordsIn(url)];
  return failureOf({ store: 'Elasticsearch', at: describeElasticsearchAddress(url), error, said, secrets });
}

function describeResponse(error: errors.ResponseError): string {
  const { type = '', reason = '' } = ((error.body as { error?: { type?: string; reason?: string } } | null)?.error ?? {}) as Record<
    string,
    string
  >;
  const said = [String(error.statusCode), type, firstLine(reason)].filter((part) => part !== '').join(' ');
  const isNamed = error.headers?.['x-elastic-product'] !== undefined || error.meta.meta.context === OPENSEARCH;
  return isNamed ? said : `${said}, without the header X-Elastic-Product`;
}

/** @returns which server has a version that is too old; undefined if the error has another reason */
export function describeUnsupported(error: unknown): string | undefined {
  if (error instanceof UnsupportedOpenSearch) return `the server in ELASTICSEARCH_URL ${error.message}`;
  const isTooOld = error instanceof errors.ResponseError && describeResponse(error).includes('media_type_header_exception');
  return isTooOld ? 'Elasticsearch is too old: it must be version 9 or later' : undefined;
}
