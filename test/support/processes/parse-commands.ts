/**
 * Runs commands of the services until they read a configuration that is empty or wrong, all in this process. Standard input
 * has a JSON array of their words, such as ["services/api/src/commands/users.ts","list"]; standard output gets that of
 * their exit codes and messages.
 */
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

class Exit extends Error {}

const { stdin, stdout, stderr } = process;
const write = stdout.write.bind(stdout);
let [code, message]: [number | undefined, string] = [undefined, ''];
process.exit = (given): never => {
  code ??= Number(given ?? process.exitCode ?? 0);
  throw new Exit();
};
const record = (text: unknown, ...more: unknown[]): boolean => {
  message += String(text);
  const written = more.find((one) => typeof one === 'function') as (() => void) | undefined;
  if (written) setImmediate(written);
  return true;
};
stderr.write = record;
stdout.write = record;
console.error = record as typeof console.error;

const results: object[] = [];
for (const [n, [file = '', ...args]] of ((await json(stdin)) as string[][]).entries()) {
  [code, message, process.exitCode] = [undefined, '', undefined];
  process.argv = [process.execPath, file, ...args];
  // Each has its own URL, so that the module runs again.
  await import(`${pathToFileURL(file).href}?${n}`).catch((error: unknown) => {
    if (!(error instanceof Exit)) throw error;
  });
  results.push({ code, message });
}
process.exitCode = 0;
write(JSON.stringify(results));
