import { expect, it } from '@jest/globals';
import { INDEX_BODY, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { createHash } from 'node:crypto';
import { VERSION_2_BODY } from '../support/index-version-2.ts';

/** SHA-256 of the settings and the mapping, by mapping version. */
const DIGESTS: Record<number, string> = {
  2: 'd0ffbc75c7d95e33fecedf8d4498cc48dc19665cdf7322801929e0f4f4a10dc9',
  3: '84126be30734d2c1b67e16655ad4d38b341dfbce7ef6ca28a82150f1c57acb95',
};

const digestOf = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('hex');

it('every change of the mapping or the settings raises MAPPING_VERSION, by which services notice it', () => {
  expect({ [MAPPING_VERSION]: digestOf(INDEX_BODY) }).toEqual({ [MAPPING_VERSION]: DIGESTS[MAPPING_VERSION] });
});

it('the index of the upgrade tests is the one of the release with mapping version 2', () => {
  expect(digestOf(VERSION_2_BODY)).toBe(DIGESTS[2]);
});
