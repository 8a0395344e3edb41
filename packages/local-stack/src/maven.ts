import { spawn } from 'node:child_process';
import { StackError } from './stack-error.ts';

export const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

export type MavenArtifact = { coordinates: string; includes?: string };

/** Downloads an artifact and unpacks it with its file modes. `includes` is a pattern of the files to unpack. */
export async function unpackWithMaven({ coordinates, includes }: MavenArtifact, folder: string): Promise<void> {
  const args = ['-B', `${DEPENDENCY_PLUGIN}:unpack`, `-Dartifact=${coordinates}`, `-DoutputDirectory=${folder}`];
  const { code, output } = await mvn(includes ? [...args, `-Dmdep.unpack.includes=${includes}`] : args, folder);
  if (code !== 0) throw new StackError(`Maven could not download ${coordinates}: ${errorLine(output)}`);
}

function mvn(args: string[], cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('mvn', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => reject(noMaven(error)));
    child.once('close', (code) => resolve({ code, output }));
  });
}

function noMaven({ message }: Error): StackError {
  return new StackError(
    `Maven downloads the local Redis and Elasticsearch, but "mvn" cannot be run (${message}): ` +
      'install Maven (Debian: apt-get install maven, macOS: brew install maven), or set REDIS_URL and ELASTICSEARCH_URL to servers of your own.',
  );
}

// Maven's last error lines only refer to its manual; the line about the failed goal contains the cause.
function errorLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => line.startsWith('[ERROR]'));
  const line = errors.find((error) => error.includes('Failed to execute goal')) ?? errors[0] ?? lines.at(-1) ?? '';
  return line
    .replace('[ERROR] ', '')
    .replace(/ -> \[Help.*$/, '')
    .trim();
}
