// Loaded by an API process with `node --import`: lists run one multi_match in the place of the search of the service.
import { registerHooks } from 'node:module';

const REPLACED = { '/services/api/src/search/query.ts': './plain-query.ts', '/services/api/src/search/prompt/stages.ts': './no-stages.ts' };

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, replacement] = Object.entries(REPLACED).find(([path]) => resolved.url.endsWith(path)) ?? [];
    return replacement === undefined ? resolved : { ...resolved, url: new URL(replacement, import.meta.url).href };
  },
});
