import { join } from 'node:path';
import { installAnalysisPlugin, pluginHash } from './analysis-plugin.ts';
import { cachedArtifact, type Artifact } from './artifacts.ts';
import type { Java } from './java.ts';

const VERSION = '9.5.0';
const UNPACKED = `elasticsearch-${VERSION}`;
const ARTIFACT: Artifact = {
  title: `Elasticsearch ${VERSION}`,
  coordinates: `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${VERSION}:zip`,
  megabytes: 130,
};

/** The server's installation folder, with the plugin. Downloaded and compiled once per version. */
export async function elasticsearchHome(java: Java, cache: string): Promise<string> {
  const install = (folder: string) => installAnalysisPlugin(join(folder, UNPACKED), VERSION, java);
  return join(await cachedArtifact(ARTIFACT, cachedName(), cache, install), UNPACKED);
}

function cachedName(): string {
  return `elasticsearch-${VERSION}-${pluginHash()}`;
}
