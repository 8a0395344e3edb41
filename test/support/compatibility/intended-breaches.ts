/** What a new major version takes away on purpose, as the test says it, and why. A minor version takes nothing away. */
export const INTENDED_BREACHES: Record<string, string> = {};
