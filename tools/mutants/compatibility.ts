import { changes, type Mutant } from './mutant.ts';

const file = 'test/support/compatibility/breaches.ts';
const test = 'unit/breaches';

/** What callers of an earlier release rely on. */
export const COMPATIBILITY_MUTANTS: Mutant[] = [
  ...changes(file, 'breachesOfApi', test, [
    ['METHODS.filter((name) => methods[name])', "['get']", 'a method is removed'],
    ['!current.components?.schemas?.[name]', 'false', 'a type of generated clients has another name'],
  ]),
  ...changes(file, 'compareOperations', test, [
    ['if (!current) return void', 'if (!current) return; else if (0) void', 'a path is removed'],
    ['kept.operationId !== current.operationId', 'false', 'a method of generated clients has another name'],
    ['!isEqual(kept.security, current.security)', 'false', 'a request needs a token'],
    ['!current.tags?.includes(tag)', 'false', 'a class of generated clients has another name'],
    ['if (!found)', 'if (false)', 'a status is removed'],
  ]),
  ...changes(file, 'compareParameters', test, [
    ['one.in === place', 'true', 'a parameter moves to the headers'],
    ['if (!found) breaches.push', 'if (!found) [].push', 'a parameter is removed'],
    ['!find(kept, parameter)?.required', 'false', 'a parameter is newly required'],
    ['?.required) breaches', ') breaches', 'an optional parameter becomes required'],
  ]),
  ...changes(file, 'compareBodies', test, [['current?.required && !kept?.required', 'false', 'a body is newly required']]),
  ...changes(file, 'compareResponses', test, [
    ['if (!found)', 'if (false)', 'a header is removed'],
    ['found && header.required && !found.required', 'false', 'a header may be absent'],
  ]),
  ...changes(file, 'compareContents', test, [
    ['if (!current?.[type]) breaches.push', 'if (!current?.[type]) [].push', 'a media type is removed'],
  ]),
  ...changes(file, 'SchemaComparison.#compareVariants', test, [
    ['!current.some((other) => fits(one, other))', 'false', 'an alternative is removed'],
    ['!kept.some((one) => fits(one, other))', 'false', 'a response has an alternative that nobody expects'],
    ["if (direction === 'sent') return;", '', 'an alternative of a body is not permitted'],
  ]),
  ...changes(file, 'SchemaComparison.#comparePlain', test, [
    ["typeof kept.additionalProperties === 'object'", 'false', 'the values of a map are narrower'],
    ["direction === 'sent' && isOpen(kept)", 'false', 'further properties are refused'],
    ['if (kept.items)', 'if (false)', 'the items of a list have another type'],
    ["if (direction === 'sent') compareRules", 'if (false) compareRules', 'a limit is lower'],
  ]),
  ...changes(file, 'SchemaComparison.#compareProperties', test, [
    ['found === undefined', 'false', 'a property is removed'],
    ['!before.includes(one)', 'false', 'a property is newly required'],
    ['!after.includes(one)', 'false', 'a property of a response is absent'],
  ]),
  ...changes(file, 'compareTypes', test, [
    ["direction === 'sent' ?", 'true ?', 'a response may be null'],
    ["direction === 'sent' ?", 'false ?', 'a type is accepted no longer'],
    ['kept.format !== current.format', 'false', 'a number is larger than its type in generated clients'],
  ]),
  ...changes(file, 'compareValues', test, [
    ['!current.enum.includes(value)', 'false', 'a value is removed'],
    ["current.enum && !kept.enum && direction === 'sent'", 'false', 'only some values are accepted'],
  ]),
  ...changes(file, 'compareRules', test, [
    ['for (const name of UPPER_LIMITS)', 'for (const name of [] as string[])', 'a maximum is lower'],
    ['for (const name of LOWER_LIMITS)', 'for (const name of [] as string[])', 'a minimum is higher'],
    ['for (const name of RULES)', 'for (const name of [] as string[])', 'a text must have a form'],
    ['JSON.stringify(kept.default) !== JSON.stringify(current.default)', 'false', 'a request without a parameter means something else'],
  ]),
];
