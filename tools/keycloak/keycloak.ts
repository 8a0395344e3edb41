import { cachedArtifact, type Artifact } from '@ugc/local-stack/artifacts';
import { cacheFolder } from '@ugc/local-stack/folders';
import { findJava } from '@ugc/local-stack/java';
import type { Launch, Server } from '@ugc/local-stack/server';
import { ServerProcess } from '@ugc/local-stack/server-process';
import { join } from 'node:path';

const VERSION = '26.7.3';
const UNPACKED = `keycloak-${VERSION}`;
const ARTIFACT: Artifact = {
  title: `Keycloak ${VERSION}`,
  coordinates: `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`,
  megabytes: 165,
};

export const ADMIN = { username: 'admin', password: 'of this script' };

/** Keycloak in its development mode, without TLS and with a database in memory. Downloaded once per version. */
export function keycloakServer({ dataDir, port }: { dataDir: string; port: number }): Server {
  const url = `http://localhost:${port}`;
  return new ServerProcess({
    name: 'Keycloak',
    url,
    dataDir,
    as: undefined,
    stopSignal: 'SIGTERM',
    prepare: () => prepare(dataDir, port),
    isReady: () =>
      fetch(`${url}/realms/master`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
}

async function prepare(dataDir: string, port: number): Promise<Launch> {
  const { home: JAVA_HOME } = await findJava(process.env, undefined);
  const home = join(await cachedArtifact(ARTIFACT, UNPACKED, cacheFolder()), UNPACKED);
  const env = {
    JAVA_HOME,
    JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
    // The data folder on the command line is what a process that was left over is found by.
    JAVA_OPTS_APPEND: `-Djava.io.tmpdir=${dataDir} -XX:TieredStopAtLevel=1`,
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
  };
  return { command: join(home, 'bin/kc.sh'), args: ['start-dev', '--db=dev-mem', `--http-port=${port}`], env };
}
