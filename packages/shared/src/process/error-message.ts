/** @returns the text that a command prints for a thrown value */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
