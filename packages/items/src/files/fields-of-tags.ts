import type { Definition, Definitions } from '@ugc/fields/definition';
import { propertyOf } from '@ugc/fields/index-fields';
import { typeOf } from '@ugc/fields/types/types';
import { describeUnknown } from '@ugc/fields/values';
import { UsageError } from '@ugc/shared/cli/command';
import type { Edit } from '../fields/upload-schema.ts';
import { badRequest, type ErrorDetail } from '../problems/problem.ts';

type TagField = { prefix: string; name: string; definition: Definition; type: ReturnType<typeof typeOf> };

/** Moves tags such as `game:1.20` to the declared field `game`, for collections that had no fields. */
export class FieldsOfTags {
  /** The number of lines that got values of each field. */
  readonly lines: Map<string, number>;
  readonly #fields: TagField[];

  /** @param prefixes such as `game:` @throws UsageError for one that is not that of a declared field */
  constructor(prefixes: string[] | undefined, declared: Definitions) {
    this.#fields = [...new Set(prefixes ?? [])].map((prefix) => tagField(prefix, declared));
    this.lines = new Map(this.#fields.map(({ name }) => [name, 0]));
  }

  /** What the prefixes make of a line is no property of its bytes, but of the types of the fields. @returns empty without prefixes */
  get salt(): string {
    return this.#fields.map(({ prefix, name, definition }) => `\n${prefix} ${propertyOf(name, definition)}`).join('');
  }

  /** A line with tags says all values of the fields, as it says all tags. @throws Problem 400 for a value that cannot be read */
  move(edit: Edit): Edit {
    const { tags, fields: given = {} } = edit;
    if (!tags || this.#fields.length === 0 || typeof given !== 'object' || Array.isArray(given)) return edit;
    const fields: Record<string, unknown> = { ...given };
    const errors: ErrorDetail[] = [];
    const isOf = (tag: string, { prefix }: TagField): boolean => tag.startsWith(prefix);
    for (const field of this.#fields) {
      const read = tags.filter((tag) => isOf(tag, field)).map((tag) => readTag(tag, field));
      errors.push(...read.flatMap(({ error }) => error ?? []));
      fields[field.name] = joined(fields[field.name], read.flatMap(({ value }) => value ?? [])); // prettier-ignore
    }
    if (errors.length > 0) throw badRequest('invalid-body', 'The body is not valid.', errors);
    for (const field of this.#fields) if (tags.some((tag) => isOf(tag, field))) this.#count(field);
    return { ...edit, tags: tags.filter((tag) => !this.#fields.some((field) => isOf(tag, field))), fields };
  }

  #count({ name }: TagField): void {
    this.lines.set(name, (this.lines.get(name) ?? 0) + 1);
  }
}

function tagField(prefix: string, declared: Definitions): TagField {
  const name = prefix.slice(0, -1);
  if (!prefix.endsWith(':')) throw new UsageError(`--fields-of-tags: ${prefix} must be the name of a field and a colon, such as game:`);
  const definition = declared.get(name);
  if (!definition) throw new UsageError(`--fields-of-tags: ${name} ${describeUnknown(declared)}`);
  if (definition.type === 'group') throw new UsageError(`--fields-of-tags: ${name} is a group, whose entries no tag has`);
  return { prefix, name, definition, type: typeOf(definition.type) };
}

function readTag(tag: string, { prefix, name, definition, type }: TagField): { value?: unknown; error?: ErrorDetail } {
  const parsed = type.parse(tag.slice(prefix.length), definition);
  if ('value' in parsed) return { value: parsed.value };
  return { error: { pointer: '#/tags', detail: `has ${JSON.stringify(tag)}, whose value for the field ${name} ${parsed.detail}` } };
}

/** @returns null, which removes the values of an earlier line, if there are none */
function joined(given: unknown, ofTags: unknown[]): unknown {
  const values = [...new Set([...[given ?? []].flat(), ...ofTags])];
  return values.length > 1 ? values : (values[0] ?? null);
}
