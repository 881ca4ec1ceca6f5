-- Breakers of targets that ever failed, closed ones last.
select target, state from dlq_breakers where cause = 0 order by state = 'CLOSED', target limit :limit::int;
