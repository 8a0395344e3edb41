import { z } from 'zod';
import { latestHeat } from '../changes/popularity.ts';

const FINITE = 'must be a number';

/** A greater number than that of very many events now would be first for years. */
export const heat = z
  .object({ day: z.number(FINITE), week: z.number(FINITE) }, 'must be an object with day and week, as an export has it')
  .check(({ value, issues }) => {
    const latest = latestHeat();
    for (const name of ['day', 'week'] as const)
      if (value[name] > latest[name])
        issues.push({
          code: 'custom',
          path: [name],
          message: `must be at most ${latest[name]}: it is of a later time than now`,
          input: value[name],
        });
  });
