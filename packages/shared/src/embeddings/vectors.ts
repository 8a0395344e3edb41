const MAX_BYTE = 127;

/**
 * A signed byte for each dimension, a quarter of the size. The cosine does not depend on the length of a vector, so the
 * scale is not stored. Measured: nDCG@10 is the same as with 32-bit numbers.
 */
export function vectorBytes(vector: Float32Array): Buffer {
  const scale = MAX_BYTE / vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return Buffer.from(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer);
}

/** @param unit a vector of length 1 · @returns undefined if the two have different lengths */
export function cosine(unit: Float32Array, bytes: Uint8Array): number | undefined {
  if (bytes.length !== unit.length) return undefined;
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  let product = 0;
  let square = 0;
  for (let n = 0; n < values.length; n += 1) {
    const value = values[n] ?? 0;
    product += value * (unit[n] ?? 0);
    square += value * value;
  }
  return product / Math.sqrt(square);
}
