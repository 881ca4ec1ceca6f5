/** The longest cooldown that a breaker can have now, and how long it waits for the answers to its probes. */
const probeWait = '2 * make_interval(secs => greatest(breaker.cooldown_seconds, 15))';

/** After a step back of the clock a pause and a pace have passed. */
const isOfNow = `breaker.updated_at < now() + interval '5 seconds'`;
const pausedUntil = `case when ${isOfNow} then breaker.paused_until end`;

/** What a row `breaker` of dlq_breakers means now, as SQL: for what obeys it, and for what shows it. */
export const breakerTerms = {
  probeWait,
  pausedUntil,

  /** How many probes an open one gives after its cooldown: more than one after a quiet time. */
  probesAtOnce: `greatest(breaker.probes, least(case breaker.cause when 0 then 3 else 5 end,
    1 + extract(epoch from now() - breaker.updated_at)::int / 900))`,

  /** Whether an open one gives probes. A time further ahead than it could be set now has passed. */
  isCool: `(breaker.probe_after not between now() + interval '1 microsecond' and now() + ${probeWait})`,

  /** Whether a target that said "too many" gets nothing. */
  isPaused: `coalesce(${isOfNow} and breaker.paused_until > now()
    and breaker.paused_until <= now() + interval '1 day', false)`,

  /** A rate always; else for an hour after its pause, or the first delivery after an outage or a hold. */
  hasPace: `(breaker.cause = -2 or ${isOfNow} and breaker.pace > 0
    and (breaker.paused_until > now() - interval '1 hour' or breaker.paused_until is null))`,

  /** When a slow start begins: after a pause that is not over yet, or null for the next delivery. */
  pauseLeft: `nullif(greatest(${pausedUntil}, now()), now())`,

  /**
   * The first second adds a tenth of the peak, 20 if it is unknown, and each later one 1.1 times as much. A
   * rate stays as it is.
   */
  paceNow: `breaker.pace + case when breaker.cause <> -2 then coalesce(breaker.peak, 20) * (1.1 ^ greatest(0,
    extract(epoch from now() - coalesce(breaker.paused_until, now())))::float8 - 1) else 0 end`,
};
