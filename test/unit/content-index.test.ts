import { expect, it } from '@jest/globals';
import { INDEX_BODY, MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { createHash } from 'node:crypto';
import { VERSION_2_BODY } from '../support/indices/index-version-2.ts';
import { VERSION_4_BODY } from '../support/indices/index-version-4.ts';
import { VERSION_5_BODY } from '../support/indices/index-version-5.ts';
import { VERSION_6_BODY } from '../support/indices/index-version-6.ts';

/** SHA-256 of the settings and the mapping, by mapping version. */
const DIGESTS: Record<number, string> = {
  2: 'd0ffbc75c7d95e33fecedf8d4498cc48dc19665cdf7322801929e0f4f4a10dc9',
  3: '0537607444c84450b32b1206097d029f40b2be2ed5b3b474dadcb0a71028d3a0',
  4: 'e02fe3686b5174a4e426d3984177602fb7d032c19ed777796cabaa10ab3a8494',
  5: '216e8be456fafe70145d69ad5f96526c714351ef99d2f474c92d2e5f85847d4a',
  6: 'a306f7378c95e98738c5bbd47f0cbbe0d99dadb6eaab82c9458c3acd9f1c500e',
  7: '755fa5550f982233b1a4b67d168ed945822c4f277bd0e96ed6e364b035ff2237',
};

const digestOf = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('hex');

it('every change of the mapping or the settings raises MAPPING_VERSION, by which services notice it', () => {
  expect({ [MAPPING_VERSION]: digestOf(INDEX_BODY) }).toEqual({ [MAPPING_VERSION]: DIGESTS[MAPPING_VERSION] });
});

it.each([
  [2, VERSION_2_BODY],
  [4, VERSION_4_BODY],
  [5, VERSION_5_BODY],
  [6, VERSION_6_BODY],
])('the index of the upgrade tests is the one of the release with mapping version %s', (version, body) => {
  expect(digestOf(body)).toBe(DIGESTS[version]);
});
