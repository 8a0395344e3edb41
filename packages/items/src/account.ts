export type Account = {
  /** `issuer|subject` */
  credential: string;
  /** The claim JWT_NAME_CLAIM, not validated. */
  name: unknown;
  /** The unit is a second since 1970; undefined for a token without `iat`. */
  issuedAt: number | undefined;
};
export type AuthenticatedUser = {
  /** Undefined until the user of the account is looked up, which reads do not need: see `TokenUsers`. */
  userId: number | undefined;
  /** Defined if the token identifies the user by an account. */
  account: Account | undefined;
  /** What the limits per user count by: the user id, or a negative number for an account. */
  limitKey: number;
  mayWriteForOthers: boolean;
  mayModerate: boolean;
  /** Whether what the user publishes needs no review, with NEW_ITEMS=review. */
  mayPublish: boolean;
};
