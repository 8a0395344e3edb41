const PREFIX = Buffer.from('Exif', 'latin1');
const PREFIX_BYTES = 6;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;
const ORIENTATION_TAG = 0x0112;

/** @returns a TIFF structure (EXIF 3.0, section 4.5) with the orientation alone, without which a picture may lie on its side */
export function onlyOrientation(exif: Buffer): Buffer | undefined {
  const orientation = readOrientation(exif.subarray(0, PREFIX.length).equals(PREFIX) ? exif.subarray(PREFIX_BYTES) : exif);
  return orientation >= 1 && orientation <= 8 ? tiffOf(orientation) : undefined;
}

/** @returns 0 if the first directory has no such entry, or lies outside of the structure */
function readOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < HEADER_BYTES || !['II', 'MM'].includes(order)) return 0;
  const isLittle = order === 'II';
  const uint16 = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const available = Math.floor((tiff.length - directory - 2) / ENTRY_BYTES);
  const count = available < 1 ? 0 : Math.min(available, uint16(directory));
  for (let entry = directory + 2; entry < directory + 2 + count * ENTRY_BYTES; entry += ENTRY_BYTES) {
    if (uint16(entry) === ORIENTATION_TAG) return uint16(entry + 8);
  }
  return 0;
}

/** Big-endian: a header, and one directory with one entry, which is a short integer. */
function tiffOf(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008' + '0001' + '011200030000000100000000' + '00000000', 'hex');
  tiff.writeUInt16BE(orientation, HEADER_BYTES + 2 + 8);
  return tiff;
}
