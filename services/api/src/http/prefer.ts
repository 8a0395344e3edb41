import { z } from 'zod';

const MAX_WAIT_SECONDS = 10;

export const Prefer = z.string().meta({
  description: `\`wait=N\`: waits until lists show the change, for at most N seconds. N is at most ${MAX_WAIT_SECONDS}.`,
  example: 'wait=5',
});

/** @returns the seconds of `wait` (RFC 7240, section 4.3); preferences that are not valid are ignored (section 2) */
export function preferredWait(prefer: string): number | undefined {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?=$|[,;])/i.exec(prefer);
  return match?.[1] === undefined ? undefined : Math.min(Number(match[1]), MAX_WAIT_SECONDS);
}
