import type { UploadLimits } from '@ugc/items/fields/limits';
import type { Line } from '@ugc/items/files/read-lines';
import { CompiledMap } from '@ugc/items/sources/compile-map';
import { requireForeignPrefix } from '@ugc/items/sources/credential-prefix';
import { mappedLines } from '@ugc/items/sources/mapped-lines';
import { openSource } from '@ugc/items/sources/open-source';
import { WrongMap } from '@ugc/items/sources/wrong-map';
import { UsageError } from '@ugc/shared/cli/command';
import { printMessage } from '@ugc/shared/cli/output';
import { readEnv } from '@ugc/shared/config/env';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { errorMessage } from '@ugc/shared/process/error-message';
import type { Database } from '@ugc/shared/postgres/postgres';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { MapEnv } from '../env.ts';
import { shownItem } from './shown-item.ts';

const MAP_MAX_BYTES = 1_048_576;
const SHOWN_ITEMS = 3;

/** `file` is undefined for standard input. `name`: how messages call it. `showsItems`: whether the first items are printed. */
type MapOptions = { map: string; file: string | undefined; name: string; limits: UploadLimits; showsItems: boolean };

/** @returns the lines that a map makes of a file @throws UsageError without a map · WrongMap for a wrong one · UnreadableFile */
export async function openMapped(
  database: Database,
  bytes: AsyncIterable<Buffer>,
  { map: mapFile, file, name, limits, showsItems }: MapOptions,
): Promise<{ lines: AsyncIterable<Line>; isPacked: boolean }> {
  const { JWT_ISSUER: issuer } = readEnv(MapEnv);
  const declared = await readDeclaredFields(database);
  const excluded = [mapFile, ...(file === undefined ? [] : [file])];
  const map = new CompiledMap(parsedMap(mapFile), { name: mapFile, folder: dirname(mapFile), excluded, limits, declared });
  await requireForeignPrefix(database, { name: mapFile, prefix: map.credentialPrefix, issuer });
  const { separator, list } = map.options;
  const source = await openSource(bytes, { name, limitBytes: limits.BODY_MAX_BYTES, separator, list });
  let shown = 0;
  const onItem = (item: object): void => {
    if (showsItems && (shown += 1) <= SHOWN_ITEMS) printMessage(...(shown === 1 ? ['The first items:'] : []), shownItem(item));
  };
  return { lines: mappedLines(source, map, { limitBytes: limits.BODY_MAX_BYTES, onItem }), isPacked: source.isPacked };
}

function parsedMap(file: string): unknown {
  if (!existsSync(file)) throw new UsageError(`--map: there is no file ${file}; --suggest-map ${file} writes one`);
  const { size } = statSync(file);
  if (size > MAP_MAX_BYTES) throw new UsageError(`--map: ${file} has ${size} bytes; the maximum is ${MAP_MAX_BYTES}`);
  try {
    // Editors of Windows begin a file with a byte order mark.
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new WrongMap(file, [{ path: '', detail: `is not JSON: ${errorMessage(error)}` }]);
  }
}
