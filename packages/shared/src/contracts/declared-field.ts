type Scalar = 'keyword' | 'number' | 'date' | 'flag' | 'version';

/** A field that the operator has declared, as the web page knows it: see `Definition` of packages/fields. */
export type DeclaredField = {
  name: string;
  type: Scalar | 'text' | 'group';
  many: boolean;
  label: string;
  facet: boolean;
  required: boolean;
  values?: string[];
  of?: Record<string, Scalar>;
};
