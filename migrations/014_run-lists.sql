-- The lists of runs that people look at. Where the schedule ticks every minute, half a million ticks that had nothing to do come
-- between them in a year, and each would be read.
create index dlq_runs_replays on dlq_runs (id) where trigger = 'replay';

create index dlq_runs_busy_ticks on dlq_runs (id)
where trigger = 'schedule' and (ended_at is null or (tally ->> 'claimed')::int > 0);
