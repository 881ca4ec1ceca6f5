-- Replays that have not ended, running or paused, newest first.
select
  id, started_at, ended_at, stopped, requested_by, reason, request, patch is not null as edited,
  selected, delivered, failed, skipped, waiting, in_flight, paused_because
from dlq_runs
where trigger = 'replay' and ended_at is null
order by id desc
limit :limit::int;
