import { describe, expect, it } from '@jest/globals';
import { MODEL, SHA256 } from '@ugc/local-stack/embedder-files';
import { createCommand } from '@ugc/shared/cli/command';
import { measureVersion, VERSION } from '@ugc/shared/process/version';
import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { parse } from 'yaml';

const readRoot = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

it('the version of the release is a semantic version, and CHANGELOG.md has a section for it', () => {
  expect(VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readRoot('CHANGELOG.md')).toMatch(new RegExp(`^## ${VERSION.replaceAll('.', '\\.')}\\b`, 'm'));
});

it('metrics and commands tell the version', async () => {
  const registry = new Registry();
  measureVersion(registry);
  expect(await registry.metrics()).toContain(`ugc_build_info{version="${VERSION}"} 1`);
  expect(createCommand({ name: 'command', description: '', exitCodes: {}, example: '' }).version()).toBe(VERSION);
});

it('Docker Compose builds the image of docker-bake.hcl unless UGC_IMAGE names another one', () => {
  const { services } = parse(readRoot('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { image: string; build?: unknown }>;
  };
  expect(services['api']?.image).toBe('${UGC_IMAGE:-ugc-service}');
  expect(Object.keys(services).filter((name) => services[name]?.build)).toEqual(['secrets', 'embedder']);
  expect(readRoot('docker-bake.hcl')).toMatch(/variable "UGC_IMAGE" \{\n.*\n\s+default\s+= "ugc-service"/);
});

describe('the embedding service of Docker Compose', () => {
  const { services } = parse(readRoot('docker-compose.yml'), { merge: true }) as {
    services: Record<
      string,
      { profiles?: string[]; build?: { target?: string }; environment?: Record<string, string>; depends_on?: object }
    >;
  };

  it('is built and started with the profile semantic only, and nothing waits for it', () => {
    expect(services['embedder']).toMatchObject({ profiles: ['semantic'], build: { target: 'embedder' } });
    expect(Object.values(services).filter(({ depends_on: needed = {} }) => 'embedder' in needed)).toEqual([]);
  });

  it('is that of EMBEDDINGS_URL with SEMANTIC, unless another one is set', () => {
    for (const name of ['api', 'indexer'])
      expect(services[name]?.environment?.['EMBEDDINGS_URL']).toBe('${EMBEDDINGS_URL:-${SEMANTIC:+http://embedder:8081/v1}}');
  });

  it('has the model of npx pnpm start --semantic, by checksum, and the runtime of its lockfile', () => {
    const dockerfile = readRoot('Dockerfile');
    expect(dockerfile).toContain(`-Dartifact=${MODEL.coordinates} `);
    for (const [file, checksum] of Object.entries(SHA256)) expect(dockerfile).toContain(`${checksum} ${file} `);
    expect(dockerfile).toMatch(
      /COPY services\/embedder\/runtime\/package.json services\/embedder\/runtime\/package-lock.json .*\n.*\n.*\n +npm ci --ignore-scripts/,
    );
  });

  it('is not the image that is built without a target', () => {
    const stages = readRoot('Dockerfile').match(/^FROM .*$/gm) ?? [];
    expect(stages).toContain('FROM base AS embedder');
    expect(stages.at(-1)).toBe('FROM base');
  });
});
