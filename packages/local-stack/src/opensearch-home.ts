import { join } from 'node:path';
import { cachedArtifact, type Artifact } from './artifacts.ts';

const VERSION = '3.8.0';
const UNPACKED = `opensearch-${VERSION}`;
const ARTIFACT: Artifact = {
  title: `OpenSearch ${VERSION}`,
  coordinates: `org.opensearch.distribution.integ-test-zip:opensearch:${VERSION}:zip`,
  megabytes: 160,
};

/** The server's installation folder, with the modules of the official image. Downloaded once per version. */
export async function opensearchHome(cache: string): Promise<string> {
  return join(await cachedArtifact(ARTIFACT, UNPACKED, cache), UNPACKED);
}
