import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { textRulesOf } from '@ugc/text/rules/text-rules';

// What an upgrade refuses until it has ended depends on the release before, by what that says of itself.

/** @param mappingVersion of the index that the release has created */
export function isRebuildDue(mappingVersion: number): boolean {
  return mappingVersion < MAPPING_VERSION;
}

/** Whether lists of its index are sorted by what is popular. @param mappingVersion of the index that the release has created */
export function hasPopularity(mappingVersion: number): boolean {
  return textRulesOf(mappingVersion).hasPopularity;
}

/** Whether it has drafts and unlisted items. @param api the description of its API */
export function knowsVisibility(api: object): boolean {
  return JSON.stringify(api).includes('"visibility"');
}
