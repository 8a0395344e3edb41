const LONGEST_WAIT_SECONDS = 10;

/**
 * How long a caller is ready to wait for the result (`Prefer: wait=N`, RFC 7240), at most 10 s. What can't be understood is
 * ignored, as preferences are.
 * @returns seconds, undefined without such a preference
 */
export function preferredWait(prefer: string): number | undefined {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?=$|[,;])/i.exec(prefer);
  return match?.[1] === undefined ? undefined : Math.min(Number(match[1]), LONGEST_WAIT_SECONDS);
}
