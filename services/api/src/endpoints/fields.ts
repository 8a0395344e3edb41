import { toStored } from '@ugc/fields/definition';
import { SCALAR_TYPES } from '@ugc/fields/types/types';
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const Field = z
  .object({
    name: z.string().describe('As in `fields` of an item.'),
    type: z.string().describe(`${[...SCALAR_TYPES, 'group'].map((type) => `\`${type}\``).join(', ')}; later releases may have more.`),
    many: z.boolean().describe('Whether an item may have several values: they are a list then, also one.'),
    label: z.string().describe('How people call the field.'),
    searched: z.boolean().describe('Whether a prompt finds the words of its values.'),
    facet: z.boolean().describe('Whether its values are counted.'),
    required: z.boolean().describe('Whether a new item must have it.'),
    values: z.array(z.string()).optional().describe('The values that are allowed; without it, all are.'),
    min: z.number().optional(),
    max: z.number().optional(),
    of: z.record(z.string(), z.string()).optional().describe('The parts of each entry of a group, with their types.'),
  })
  .meta({ id: 'DeclaredField' });

const DeclaredFields = z.object({ fields: z.array(Field) }).meta({ id: 'DeclaredFields' });

const EXAMPLE = {
  fields: [
    { name: 'licence', type: 'keyword', many: false, label: 'Licence', searched: false, facet: true, required: false, values: ['CC0-1.0'] },
    { name: 'players', type: 'number', many: false, label: 'Players', searched: false, facet: false, required: false, min: 1 },
  ],
};

function getFields() {
  return endpoint({
    method: 'get',
    path: '/api/fields',
    cost: 'read',
    summary: 'Get the declared fields of items, in the order of the operator',
    responses: { 200: { description: 'The fields.', schema: DeclaredFields, example: EXAMPLE } },
    async handle({ declaredFields }, { ctx }) {
      ctx.body = { fields: toStored(await declaredFields.find()) };
    },
  });
}

export const declared = { getFields };
