import { clientCertificateProblem, decodingProblem, encodingProblem, validUrls } from './address-problems.ts';
import { readFileAgain, readVariable } from '../environment/env-values.ts';

/** What a client shows to Elasticsearch, besides a user in the URL. */
export type ElasticsearchAccess = {
  ELASTICSEARCH_API_KEY?: string | undefined;
  ELASTICSEARCH_CLIENT_CERT_FILE?: string | undefined;
  ELASTICSEARCH_CLIENT_KEY_FILE?: string | undefined;
};

const CERT = 'ELASTICSEARCH_CLIENT_CERT_FILE';
const KEY = 'ELASTICSEARCH_CLIENT_KEY_FILE';

/** What is wrong with the client certificate, as a line of a configuration error. */
export function elasticsearchAccessProblem(values: ElasticsearchAccess & { ELASTICSEARCH_URL?: string }): string | undefined {
  const { [CERT]: cert, [KEY]: key, ELASTICSEARCH_URL: url = '' } = values;
  const isGiven = cert !== undefined || key !== undefined;
  if (isGiven && elasticsearchUrls(url)?.some(({ protocol }) => protocol === 'http:'))
    return `${CERT} and ${KEY} are used with https: only; ELASTICSEARCH_URL has http:`;
  return clientCertificateProblem({ cert, key, names: { cert: CERT, key: KEY } });
}

/** @returns the nodes in ELASTICSEARCH_URL, which have commas between them; undefined if one of them is no URL of HTTP */
export function elasticsearchUrls(text: string): URL[] | undefined {
  // A password may contain a comma.
  const parts = text.split(/\s*,\s*(?=\w+:\/\/|$)/);
  if (!parts.every((part) => URL.canParse(part))) return undefined;
  const urls = parts.map((part) => new URL(part));
  return urls.every(({ protocol }) => ['http:', 'https:'].includes(protocol)) ? urls : undefined;
}

/** @returns what is wrong with the URLs of nodes; undefined if nothing is */
export function elasticsearchUrlsProblem(text: string): string | undefined {
  const problems = (elasticsearchUrls(text) ?? []).map((url) => encodingProblem(url) ?? decodingProblem(url));
  return problems.find((problem) => problem !== undefined);
}

/** Whether no node has another user than the first, whose user is that of all. */
export function haveOneUser([first, ...others]: URL[]): boolean {
  const isUserOf = (url: URL): boolean => url.username === first?.username && url.password === first.password;
  return others.every((url) => url.username === '' || isUserOf(url));
}

/** The hosts for messages: without credentials. */
export function describeElasticsearchAddress(text: string): string {
  return (elasticsearchUrls(text) ?? []).map(({ host }) => host).join(', ');
}

/** @returns the header for what the files of the API key or of the URL contain now; undefined if it is not from a file */
export function authorizationOfFiles(): string | undefined {
  const apiKey = readFileAgain('ELASTICSEARCH_API_KEY');
  if (apiKey !== undefined) return `ApiKey ${apiKey}`;
  if (readVariable('ELASTICSEARCH_API_KEY') !== undefined) return undefined;
  const { username = '', password = '' } = validUrls(elasticsearchUrls(readFileAgain('ELASTICSEARCH_URL') ?? ''))[0] ?? {};
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return username === '' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
}
