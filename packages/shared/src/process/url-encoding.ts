export const ENCODING = 'special characters in user and password must be percent-encoded: % is %25, # is %23, / is %2F, ? is %3F';

/** @returns a problem if the URL is valid, but not what was meant: a character of the password ends its host */
export function encodingProblem({ pathname, search, hash }: URL): string | undefined {
  return hash !== '' || /^[^=]*@/.test(pathname + search) ? ENCODING : undefined;
}

/** @returns a problem if user or password cannot be decoded */
export function decodingProblem({ username, password }: URL): string | undefined {
  try {
    decodeURIComponent(username + password);
    return undefined;
  } catch {
    return ENCODING;
  }
}
