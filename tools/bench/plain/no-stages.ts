import type { STAGES as Replaced } from '../../../services/api/src/search/prompt/stages.ts';

/** Nothing is asked of the words of a prompt. */
export const STAGES: typeof Replaced = [];
/** Asked by nobody. */
export const MAX_CHOSEN_TERMS = 0;
