import { errors } from '@elastic/elasticsearch';
import { certificateProblem } from '../process/certificate-problem.ts';
import { describeElasticsearchAddress, type ElasticsearchAccess } from '../process/elasticsearch-address.ts';
import { OPENSEARCH, UnsupportedOpenSearch } from './opensearch.ts';
import { firstLine, StoreFailure } from './store-failure.ts';

/** @returns undefined if the error is not one of Elasticsearch */
export function describeElasticsearchFailure(error: unknown, url: string, access: ElasticsearchAccess = {}): StoreFailure | undefined {
  if (!(error instanceof errors.ElasticsearchClientError)) return undefined;
  const address = describeElasticsearchAddress(url);
  const elasticsearch = `Elasticsearch at ${address}`;
  const fail = (message: string): StoreFailure => new StoreFailure(message, { mayPass: false, cause: error });
  if (error instanceof UnsupportedOpenSearch) return fail(`The server at ${address} ${error.message}.`);
  if (isTooOld(error)) return fail(`${elasticsearch} ${TOO_OLD}.`);
  if (isOfAnotherService(error)) return fail(`The server at ${address} is not Elasticsearch: correct ELASTICSEARCH_URL. ${PROXY}`);
  return error instanceof errors.ResponseError ? describeAnswer(error, elasticsearch, access) : describeSilence(error, elasticsearch, url);
}

const PROXY = 'A proxy in front of Elasticsearch must keep the header X-Elastic-Product.';

function describeAnswer(error: errors.ResponseError, elasticsearch: string, access: ElasticsearchAccess): StoreFailure {
  const fail = (message: string, mayPass = false): StoreFailure => new StoreFailure(message, { mayPass, cause: error });
  const status = error.statusCode ?? 0;
  const said = reasonOf(error);
  const variable = access.ELASTICSEARCH_API_KEY === undefined ? 'ELASTICSEARCH_URL' : 'ELASTICSEARCH_API_KEY';
  if (status === 401) return fail(`${elasticsearch} does not accept the credentials in ${variable} (${said}): correct them.`);
  if (status < 400) return fail(`${elasticsearch} redirects to another address (${said}): correct ELASTICSEARCH_URL.`);
  if (status === 403) return fail(`${elasticsearch} does not permit it (${said}): grant the privilege, or remove the block.`);
  // A restart of Elasticsearch loses the point in time that an audit reads.
  const isLost = said.includes('search_context_missing_exception');
  if (status >= 500 || status === 429 || isLost) return fail(`${elasticsearch} is unavailable (${said}). Try again.`, true);
  return fail(`${elasticsearch} rejects a request (${said}).`);
}

/** The client does not pass on why a server ends a handshake; it may demand a certificate. */
const ENDED = /other side closed|socket hang up|ECONNRESET|alert/i;

function describeSilence(error: Error, elasticsearch: string, url: string): StoreFailure {
  const said = firstLine(error);
  const problem = certificateProblem(elasticsearch, said);
  if (problem !== undefined) return new StoreFailure(`${problem}.`, { mayPass: false, cause: error });
  const mayDemand = url.includes('https:') && ENDED.test(said);
  const message = mayDemand
    ? `${elasticsearch} ends the connection (${said}). If it demands a client certificate, correct ELASTICSEARCH_CLIENT_CERT_FILE ` +
      `and ELASTICSEARCH_CLIENT_KEY_FILE; otherwise, is the stack running?`
    : `${elasticsearch} does not respond (${said}). Is the stack running?`;
  return new StoreFailure(message, { mayPass: true, cause: error });
}

const TOO_OLD = 'is too old: it must be version 9 or later';

/** Versions 7 and 8 do not know the media types of the client. */
function isTooOld(error: unknown): boolean {
  return error instanceof errors.ResponseError && reasonOf(error).includes('media_type_header_exception');
}

/** @returns which server has a version that is too old; undefined if the error has another reason */
export function describeUnsupported(error: unknown): string | undefined {
  if (error instanceof UnsupportedOpenSearch) return `the server in ELASTICSEARCH_URL ${error.message}`;
  return isTooOld(error) ? `Elasticsearch ${TOO_OLD}` : undefined;
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
