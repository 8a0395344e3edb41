/**
 * What `bin/elasticsearch` runs after its preparation. The server reads `input` from standard input, which must stay
 * open: a running server stops when it reads the end.
 */
export type LaunchDescriptor = {
  command: string;
  jvmOptions: string[];
  /** The module path and the main class. */
  jvmArgs: string[];
  env: Record<string, string>;
  workingDir: string;
  input: Buffer;
};

/** "ESLD" as the first four bytes. */
const MAGIC = 0x45534c44;

/** Reads what `org.elasticsearch.server.launcher.common.LaunchDescriptor` of Elasticsearch 9.5 writes. */
export function parseLaunchDescriptor(bytes: Buffer): LaunchDescriptor {
  const reader = dataReader(bytes);
  if (reader.int() !== MAGIC) throw otherFormat();
  const command = reader.string();
  const jvmOptions = reader.list(reader.string);
  const jvmArgs = reader.list(reader.string);
  const env = Object.fromEntries(reader.list(() => [reader.string(), reader.string()]));
  const workingDir = reader.string();
  // The temporary folder, and whether the launcher ends before the server.
  reader.string();
  reader.boolean();
  const input = reader.bytes();
  if (!reader.atEnd()) throw otherFormat();
  return { command, jvmOptions, jvmArgs, env, workingDir, input };
}

function otherFormat(): Error {
  return new Error("Elasticsearch's launch descriptor has another format than that of version 9.5, or is incomplete");
}

/** Reads the format of `java.io.DataOutputStream`, for strings without U+0000 and characters above U+FFFF. */
function dataReader(data: Buffer) {
  let position = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || position + length > data.length) throw otherFormat();
    return data.subarray(position, (position += length));
  };
  const int = (): number => take(4).readInt32BE();
  return {
    int,
    boolean: () => take(1).readInt8() === 1,
    string: () => take(take(2).readUInt16BE()).toString(),
    list: <T>(read: () => T): T[] => Array.from({ length: int() }, read),
    bytes: () => take(int()),
    atEnd: () => position === data.length,
  };
}
