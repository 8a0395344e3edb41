/** What a new major version takes away on purpose, as the test says it, and why. A minor version takes nothing away. */
export const INTENDED_BREACHES: Record<string, string> = {};

/** What a test takes for a breach, as it says it, and why nobody who relies on the former is hurt. */
export const HARMLESS_CHANGES: Record<string, string> = {};
