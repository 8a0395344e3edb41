import { removeStack } from '@ugc/local-stack/remove-stack';
import type { Stack } from '@ugc/local-stack/stack';

declare global {
  var testStack: Stack | undefined;
}

export default async function stopServers(): Promise<void> {
  const stack = globalThis.testStack;
  if (!stack) return;
  await stack.stop();
  await removeStack(stack.dataDir);
}
