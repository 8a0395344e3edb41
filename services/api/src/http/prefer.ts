import { z } from 'zod';

const MAX_WAIT_SECONDS = 10;

export const Prefer = z.string().meta({
  description: `\`wait=N\`: waits until lists show the change, for at most N seconds. N is at most ${MAX_WAIT_SECONDS}.`,
  example: 'wait=5',
});

/**
 * Reads `Prefer: wait=N` (RFC 7240, section 4.3). Preferences that are not valid are ignored, as section 2 requires.
 * @returns seconds, at most 10; undefined without this preference
 */
export function preferredWait(prefer: string): number | undefined {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?=$|[,;])/i.exec(prefer);
  return match?.[1] === undefined ? undefined : Math.min(Number(match[1]), MAX_WAIT_SECONDS);
}
