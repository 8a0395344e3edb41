import { readVariable } from '@ugc/shared/environment/env-values';
import { elasticsearchServer } from './elasticsearch-server.ts';
import { opensearchServer } from './opensearch-server.ts';
import { StackError } from './stack-error.ts';

const SERVERS = {
  elasticsearch: { server: 'Elasticsearch', folder: 'elasticsearch', create: elasticsearchServer },
  opensearch: { server: 'OpenSearch', folder: 'opensearch', create: opensearchServer },
} as const;

type Engine = keyof typeof SERVERS;

/** The server that the variable SEARCH names, by default Elasticsearch. @throws StackError */
export function searchServer(env: NodeJS.ProcessEnv = process.env): (typeof SERVERS)[Engine] {
  const engine = readVariable('SEARCH', env) ?? 'elasticsearch';
  if (!Object.hasOwn(SERVERS, engine)) throw new StackError(`SEARCH must be elasticsearch or opensearch, not ${engine}.`);
  return SERVERS[engine as Engine];
}
