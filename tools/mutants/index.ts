import { ACCESS_MUTANTS } from './access.ts';
import { BEFORE_RELEASE_1_MUTANTS } from './before-release-1.ts';
import { CLIENTS_MUTANTS } from './clients.ts';
import { COMPATIBILITY_MUTANTS } from './compatibility.ts';
import { FIELDS_MUTANTS } from './fields.ts';
import { IMPORT_MUTANTS } from './import.ts';
import { INDICES_MUTANTS } from './indices.ts';
import { INSIGHTS_MUTANTS } from './insights.ts';
import { ITEM_MUTANTS } from './items.ts';
import { LIMITS_MUTANTS } from './limits.ts';
import { LIMITS_OF_SEARCH_MUTANTS } from './limits-of-search.ts';
import { MEANING_MUTANTS } from './meaning.ts';
import { MODERATION_MUTANTS } from './moderation.ts';
import type { Mutant } from './mutant.ts';
import { OUTBOX_MUTANTS } from './outbox.ts';
import { PAGE_MUTANTS } from './page.ts';
import { PROTOCOL_MUTANTS } from './protocol.ts';
import { SHARES_MUTANTS } from './shares.ts';
import { STAGES_MUTANTS } from './stages.ts';
import { TEXT_MUTANTS } from './text.ts';
import { TRACES_MUTANTS } from './traces.ts';
import { VISIBILITY_MUTANTS } from './visibility.ts';

/** All mutants. When a text that a mutant quotes changes, the mutant must be updated: `test/unit/tools.test.ts` fails. */
export const MUTANTS: Mutant[] = [
  ...PROTOCOL_MUTANTS,
  ...OUTBOX_MUTANTS,
  ...INDICES_MUTANTS,
  ...ACCESS_MUTANTS,
  ...MODERATION_MUTANTS,
  ...VISIBILITY_MUTANTS,
  ...ITEM_MUTANTS,
  ...IMPORT_MUTANTS,
  ...FIELDS_MUTANTS,
  ...LIMITS_MUTANTS,
  ...LIMITS_OF_SEARCH_MUTANTS,
  ...SHARES_MUTANTS,
  ...TRACES_MUTANTS,
  ...INSIGHTS_MUTANTS,
  ...MEANING_MUTANTS,
  ...TEXT_MUTANTS,
  ...STAGES_MUTANTS,
  ...PAGE_MUTANTS,
  ...CLIENTS_MUTANTS,
  ...COMPATIBILITY_MUTANTS,
  ...BEFORE_RELEASE_1_MUTANTS,
];
