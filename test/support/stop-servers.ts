import type { Stack } from '@ugc/local-stack/stack';
import { rm } from 'node:fs/promises';

declare global {
  var testStack: { stack: Stack; dataDir: string } | undefined;
}

export default async function stopServers(): Promise<void> {
  await globalThis.testStack?.stack.stop();
  if (globalThis.testStack) await rm(globalThis.testStack.dataDir, { recursive: true, force: true });
}
