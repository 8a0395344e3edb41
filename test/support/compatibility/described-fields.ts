import type { estypes } from '@elastic/elasticsearch';
import { mappedFields } from '@ugc/shared/contracts/content-index';

type Properties = Record<string, estypes.MappingProperty>;

/** @returns each field of a mapping with what decides its meaning: its type and its analyzer */
export function describedFields(properties: Properties): [field: string, form: string][] {
  return mappedFields(properties).map((field) => {
    const { type, analyzer } = propertyOf(properties, field) as { type?: string; analyzer?: string };
    return [field, `${type} ${analyzer ?? ''}`.trimEnd()];
  });
}

function propertyOf(properties: Properties, field: string): estypes.MappingProperty | undefined {
  const [name = '', ...rest] = field.split('.');
  const property = properties[name];
  if (!property || rest.length === 0) return property;
  const nested = { ...('properties' in property ? property.properties : undefined), ...property.fields };
  return propertyOf(nested, rest.join('.'));
}
