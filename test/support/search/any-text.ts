import fc from 'fast-check';

/** @param parts what the rules that are tested treat in a special way @returns random texts: of any bytes, of Thai and Lao, and of these parts */
export function anyText(...parts: string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
    fc.string({ unit: fc.integer({ min: 0x0e00, max: 0x0eff }).map((code) => String.fromCharCode(code)) }),
    fc.string({ unit: fc.constantFrom(...parts) }),
  );
}
