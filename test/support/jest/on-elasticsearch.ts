import { describe, it } from '@jest/globals';
import { IS_OPENSEARCH } from '../servers/search-engine.ts';

/** Tests of what OpenSearch does not have. @param reason for example `OpenSearch has no API keys` */
export function onElasticsearch(reason: string) {
  const titled = (name: string): string => (IS_OPENSEARCH ? `${name} (skipped: ${reason})` : name);
  return {
    it: (name: string, test: () => Promise<void>): void => (IS_OPENSEARCH ? it.skip : it)(titled(name), test),
    describe: (name: string, tests: () => void): void => (IS_OPENSEARCH ? describe.skip : describe)(titled(name), tests),
  };
}
