import { stripTypeScriptTypes } from 'node:module';

/** The services run unbuilt on Node, which strips types; the tests see the same code. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
