import { z } from 'zod';

// The integers of responses. Without bounds of its own, zod documents those of all safe integers.

/** An id of PostgreSQL's sequences, or a revision: both begin with 1. */
export const positive = z.int().min(1);

export const nonNegative = z.int().min(0);

/** A non-negative number of PostgreSQL's type `integer`. */
export const nonNegativeInt32 = z.int().min(0).max(2_147_483_647);
