import { createCommand, EXIT, failWith, JSON_OPTION, runCommand } from '@ugc/shared/cli/command';
import { printJson, printLine } from '@ugc/shared/cli/output';
import { endIfInvalid, readEnv } from '@ugc/shared/config/env';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import type { SynonymRule } from '@ugc/text/prompt/parse-synonyms';
import { Synonyms, textOf, type Synonym } from '@ugc/text/prompt/synonyms';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { z } from 'zod';
import { readSynonyms } from '../search/prompt/read-synonyms.ts';

const command = createCommand({
  name: 'npx pnpm search:synonyms',
  description:
    'Checks a file for SYNONYMS_FILE as the API does at its start, and shows what prompts are searched with. It needs no store, and does ' +
    'not say which of the words the collection has.',
  exitCodes: {
    [EXIT.done]: 'the API accepts the file',
    [EXIT.usage]: 'the arguments are wrong',
    78: 'the API does not start with the file: the message has the lines and what is wrong with them',
  },
  example: 'npx pnpm search:synonyms synonyms.txt "blue sofa" gba',
})
  .argument('<FILE>', 'the file to check')
  .argument('[PROMPT...]', 'prompts to try')
  .option(...JSON_OPTION)
  .action(check);
await runCommand(command, failWith(EXIT.badResult));

function check(file: string, prompts: string[], { json = false }: { json?: boolean }): void {
  // Every command refuses a variable of all processes that is wrong.
  readEnv(z.object({}));
  const rules = readRules(file);
  const synonyms = new Synonyms(rules);
  if (json) printJson({ rules: rules.length });
  else printLine(`${file} has ${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}.`);
  for (const prompt of prompts) {
    const found = synonyms.in(parsePrompt(prompt, NEWEST_RULES));
    if (json) printJson({ prompt, synonyms: found.map(({ from, to, replaces }) => ({ words: from, means: textOf(to), replaces })) });
    else printLine(prompt, found.length === 0 ? 'no synonym' : found.map(inWords).join('; '));
  }
}

function readRules(file: string): SynonymRule[] {
  try {
    return readSynonyms(file);
  } catch (error) {
    return endIfInvalid(error);
  }
}

function inWords({ from, to, replaces }: Synonym): string {
  return `"${textOf(to)}" ${replaces ? 'in place of' : 'besides'} "${from.join(' ')}"`;
}
