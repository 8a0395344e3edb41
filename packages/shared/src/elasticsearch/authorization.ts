import { validUrls } from '../config/address-problems.ts';
import { elasticsearchUrls } from '../config/elasticsearch-address.ts';
import { readFileAgain, readVariable } from '../config/env-values.ts';

/** @returns the header for what the files of the API key or of the URL contain now; undefined if it is not from a file */
export function authorizationOfFiles(): string | undefined {
  const apiKey = readFileAgain('ELASTICSEARCH_API_KEY');
  if (apiKey !== undefined) return `ApiKey ${apiKey}`;
  if (readVariable('ELASTICSEARCH_API_KEY') !== undefined) return undefined;
  const { username = '', password = '' } = validUrls(elasticsearchUrls(readFileAgain('ELASTICSEARCH_URL') ?? ''))[0] ?? {};
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return username === '' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
}
