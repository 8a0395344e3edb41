import { expect, it } from '@jest/globals';
import { REDIS_COMMANDS } from '@ugc/shared/stores/redis-commands';
import * as scripts from 'bullmq/dist/esm/scripts/index.js';
import { readFileSync } from 'node:fs';

it('the documented commands are all that the scripts of BullMQ for adding, running, counting and recovering jobs contain', () => {
  const used = [
    'addStandardJob',
    'getCounts',
    'getState',
    'moveToActive',
    'moveToFinished',
    'extendLocks',
    'moveStalledJobsToWait',
    'pause',
  ];
  const contents = (Object.values(scripts) as { name?: string; content?: string }[]).filter(({ name = '' }) => used.includes(name));
  expect(contents).toHaveLength(used.length);
  const commands = contents.flatMap(({ content = '' }) =>
    [...content.matchAll(/rcall\(["'](\w+)["']/g)].map(([, name = '']) => name.toLowerCase()),
  );
  expect(commands.filter((name) => !REDIS_COMMANDS.includes(name))).toEqual([]);
});

it('docs/operating.md names exactly the commands that the service needs', () => {
  const document = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, rules = ''] = /ACL SETUSER ugc [^`]*-@all [\\\s]*([^`]*)```/.exec(document) ?? [];
  expect(rules.trim().split(/[\s\\]+/)).toEqual(REDIS_COMMANDS.map((name) => `+${name}`));
});
