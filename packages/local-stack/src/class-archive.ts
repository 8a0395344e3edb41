import { createHash } from 'node:crypto';
import { copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Java } from './java.ts';

/** Tried with no older version of Java. */
const MIN_VERSION = 25;
/** The last archive that Java writes when a process ends. */
const MAGIC = 0xf00baba8;
const SUFFIX = '.jsa';

const PATCH = '--patch-module=java.base=';
const EXPORTS = '--add-exports=java.base/org.elasticsearch.entitlement.bridge=';
const ENTITLEMENT = 'org.elasticsearch.entitlement';

/** `written` is where Java writes an archive when the process ends; undefined if there is one already, or none is used. */
export type ArchivedOptions = { jvmOptions: string[]; written: string | undefined; archive: string };

/**
 * Adds the options by which Java reads its parsed classes from an archive (class-data sharing, CDS). With it,
 * Elasticsearch starts 2 s faster. Java refuses archives together with --patch-module, by which Elasticsearch adds the
 * bridge of its entitlements to java.base. The boot class path serves as well: whenever it starts, Elasticsearch tests
 * that its entitlements are in force.
 * @param folder of the archive, for servers of the same installation
 * @param tmp a folder that the server can write to
 */
export async function withClassArchive(
  jvmOptions: string[],
  { folder, tmp, java }: { folder: string; tmp: string; java: Java },
): Promise<ArchivedOptions> {
  const archive = join(folder, `${await keyOf(java)}${SUFFIX}`);
  const bridge = jvmOptions.find((option) => option.startsWith(PATCH))?.slice(PATCH.length);
  if (bridge === undefined || java.version < MIN_VERSION) return { jvmOptions, written: undefined, archive };
  const written = (await isComplete(archive)) ? undefined : join(tmp, 'classes.jsa');
  const added = [
    `-Xbootclasspath/a:${bridge}`,
    `--add-reads=${ENTITLEMENT}=ALL-UNNAMED`,
    `--add-exports=${ENTITLEMENT}/${ENTITLEMENT}.initialization=ALL-UNNAMED`,
    // Java would log the classes that the archive cannot contain.
    '-Xlog:cds*=off,aot*=off',
    ...(written ? [`-XX:ArchiveClassesAtExit=${written}`] : [`-XX:SharedArchiveFile=${archive}`, '-XX:+VerifySharedSpaces']),
  ];
  // The user's options come last, and of repeated options Java uses the last.
  return {
    jvmOptions: [...added, ...jvmOptions.filter((option) => !option.startsWith(PATCH) && !option.startsWith(EXPORTS))],
    written,
    archive,
  };
}

/** Keeps the archive that a server wrote when it was stopped. An older one, of another Java, or half a copy is removed. */
export async function keepClassArchive({ written, archive }: Pick<ArchivedOptions, 'written' | 'archive'>): Promise<void> {
  if (!written || !(await isComplete(written))) return;
  const folder = join(archive, '..');
  await mkdir(folder, { recursive: true });
  const others = (await readdir(folder)).filter((name) => name.includes(SUFFIX));
  const unfinished = `${archive}.${process.pid}`;
  await copyFile(written, unfinished);
  await rename(unfinished, archive);
  for (const path of [written, ...others.map((name) => join(folder, name)).filter((path) => path !== archive)])
    await rm(path, { force: true });
}

async function isComplete(archive: string): Promise<boolean> {
  const file = await open(archive).catch(() => undefined);
  if (!file) return false;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0).finally(() => file.close());
  return bytesRead === 4 && [buffer.readUInt32LE(), buffer.readUInt32BE()].includes(MAGIC);
}

/** Java uses an archive only with the version that wrote it. */
async function keyOf({ home, version }: Java): Promise<string> {
  const release = await readFile(join(home, 'release')).catch(() => Buffer.from(`${home} ${version}`));
  return `classes-${createHash('sha256').update(release).digest('hex').slice(0, 8)}`;
}
