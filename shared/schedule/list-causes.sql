select
  target, cause::text, answer, opened_at as since, updated_at as sampled_at, probe_after as next_sample_at,
  {probesAtOnce} as samples
from dlq_breakers as breaker
where cause <> 0 and state <> 'CLOSED'
order by opened_at, target, cause;
