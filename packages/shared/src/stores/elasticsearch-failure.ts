import { errors } from '@elastic/elasticsearch';
import { describeElasticsearchAddress } from '../process/elasticsearch-address.ts';
import { OPENSEARCH, UnsupportedOpenSearch } from './opensearch.ts';
import { firstLine, StoreFailure } from './store-failure.ts';

/** @returns undefined if the error is not one of Elasticsearch */
export function describeElasticsearchFailure(error: unknown, url: string): StoreFailure | undefined {
  if (!(error instanceof errors.ElasticsearchClientError)) return undefined;
  const address = describeElasticsearchAddress(url);
  const elasticsearch = `Elasticsearch at ${address}`;
  const fail = (message: string, mayPass = false): StoreFailure => new StoreFailure(message, { mayPass, cause: error });
  const unsupported = describeUnsupported(error);
  if (unsupported !== undefined) return fail(`The server at ${address} ${unsupported}.`);
  if (!(error instanceof errors.ResponseError))
    return fail(`${elasticsearch} does not respond (${firstLine(error)}). Is the stack running?`, true);

  const status = error.statusCode ?? 0;
  const said = reasonOf(error);
  if (status === 401) return fail(`${elasticsearch} does not accept the credentials in ELASTICSEARCH_URL (${said}): correct them.`);
  if (status === 403) return fail(`${elasticsearch} does not permit it (${said}): grant the privilege, or remove the block.`);
  // A restart of Elasticsearch loses the point in time that an audit reads.
  const isLost = said.includes('search_context_missing_exception');
  if (status >= 500 || status === 429 || isLost) return fail(`${elasticsearch} is unavailable (${said}). Try again.`, true);
  return fail(`${elasticsearch} rejects a request (${said}).`);
}

function describeUnsupported(error: errors.ElasticsearchClientError): string | undefined {
  if (error instanceof UnsupportedOpenSearch) return error.message;
  return isOfAnotherService(error) ? 'is not Elasticsearch: correct ELASTICSEARCH_URL' : undefined;
}

// A proxy in front of Elasticsearch responds itself with 401, 403 and 5xx.
function isOfAnotherService(error: errors.ElasticsearchClientError): boolean {
  if (error instanceof errors.ProductNotSupportedError) return true;
  if (error instanceof errors.ConnectionError) return /Parse Error/.test(error.message);
  if (!(error instanceof errors.ResponseError)) return false;
  if (error.meta.meta.context === OPENSEARCH) return false;
  return [400, 404, 405].includes(error.statusCode ?? 0) && error.headers?.['x-elastic-product'] === undefined;
}

function reasonOf({ statusCode, body }: errors.ResponseError): string {
  const { type = '', reason = '' } = ((body as { error?: { type?: string; reason?: string } } | null)?.error ?? {}) as Record<
    string,
    string
  >;
  return [String(statusCode), type, firstLine(reason)].filter((part) => part !== '').join(' ');
}
