import { stripTypeScriptTypes } from 'node:module';

/** Strips types as Node.js does when it runs the services, so that the tests run the same code. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
