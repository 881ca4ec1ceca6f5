-- The targets that failed, those whose breaker is not closed first.
select target, state from dlq_breakers order by state = 'CLOSED', target limit :limit::int;
