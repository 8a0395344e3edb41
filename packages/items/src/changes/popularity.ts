// See docs/decisions/0053-popularity.md.

/** What an event counts. All events of a user for an item on a day count as much as the weightiest of them. */
export const WEIGHTS = { published: 1, download: 1, liked: 3 };

/** A first rating with at least this score is an event. */
export const LIKED_FROM = 4;

/** Never to be changed: stored numbers are only comparable with others of the same origin. */
export const HEAT_ORIGIN_MS = Date.UTC(2026, 0, 1);
const ORIGIN = `timestamptz '${new Date(HEAT_ORIGIN_MS).toISOString()}'`;

/** After this time an event counts for 1/e of what it counted first. The unit is a second. */
const TAU_SECONDS = { heat_day: 86_400, heat_week: 7 * 86_400 };

const HEATS = Object.entries(TAU_SECONDS);
const NOW = 'clock_timestamp()';

/** Beyond this distance, the smaller of two terms is less than the sum can show. */
const NEGLIGIBLE = 40;

export const HEAT_COLUMNS = HEATS.map(([column]) => column).join(', ');

/** The two numbers of an item: of `heat_day` and `heat_week`. */
export type Heat = { day: number; week: number };

/** What a user has done with an item. `weight`: what it adds to what this user has added today; 0 if that is not known. */
export type UserEvent = {
  /** Undefined for an account without a user. */
  userId: number | undefined;
  /** Whether it is the first one of its kind today: false if that is not known. */
  isFirst: boolean;
  weight: number;
};

/** The values of `HEAT_COLUMNS` of an item that is published now, for the first time. Imports publish nothing. */
export const PUBLISHED_HEAT = HEATS.map(([, tau]) => eventHeat(tau, { weight: String(WEIGHTS.published), at: NOW })).join(', ');

type Event = {
  /** An expression: 0 changes nothing, otherwise at least 1. */
  weight: string;
  /** An expression of the type timestamptz. */
  at?: string;
};

/**
 * The assignments of an `update content` that counts an event. `heat` is the logarithm of the sum of the weights, each
 * multiplied by e^((time - origin) / tau). PostgreSQL's `exp` fails below -745, so nothing that distant is added.
 */
export function addHeat({ weight, at = NOW }: Event): string {
  return HEATS.map(
    ([column, tau]) =>
      `${column} = case when ${weight} > 0 then (select case
        when heat is null then event
        when abs(heat - event) > ${NEGLIGIBLE} then greatest(heat, event)
        else greatest(heat, event) + ln(1 + exp(-abs(heat - event))) end
      from (select ${column} as heat, ${eventHeat(tau, { weight, at })} as event) h) else ${column} end`,
  ).join(', ');
}

/** PostgreSQL may compute the logarithm of a constant even where no row needs it. */
function eventHeat(tauSeconds: number, { weight, at }: Required<Event>): string {
  return `(ln(greatest(${weight}, 1)::float8) + extract(epoch from ${at} - ${ORIGIN})::float8 / ${tauSeconds})`;
}

/** @returns the sum of the weights of all events, each divided by e for every week since then */
export function recentOf(heatWeek: number | null | undefined, nowMs: number): number {
  return typeof heatWeek === 'number' ? Math.exp(heatWeek - weeksOf(nowMs)) : 0;
}

/** @returns numbers that no item has, whatever has happened until now */
export function latestHeat(): Heat {
  const [day, week] = [TAU_SECONDS.heat_day, TAU_SECONDS.heat_week].map((tau) => (Date.now() - HEAT_ORIGIN_MS) / (1_000 * tau));
  return { day: Math.ceil((day ?? 0) + NEGLIGIBLE), week: Math.ceil((week ?? 0) + NEGLIGIBLE) };
}

/** @returns the least `heat_week` of an item whose `recentOf` is at least so much */
export function heatOfRecent(recent: number, nowMs: number): number {
  return Math.log(recent) + weeksOf(nowMs);
}

function weeksOf(timeMs: number): number {
  return (timeMs - HEAT_ORIGIN_MS) / (1_000 * TAU_SECONDS.heat_week);
}
