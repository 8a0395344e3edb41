import { expect, it } from '@jest/globals';
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
    services: Record<string, { image: string; build?: string }>;
  };
  expect(services['api']?.image).toBe('${UGC_IMAGE:-ugc-service}');
  expect(Object.keys(services).filter((name) => services[name]?.build)).toEqual(['secrets']);
  expect(readRoot('docker-bake.hcl')).toMatch(/variable "UGC_IMAGE" \{\n.*\n\s+default\s+= "ugc-service"/);
});
