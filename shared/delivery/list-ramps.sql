-- Lists the targets whose breaker has closed, and to which the present second of the ramp may allow no more deliveries. Once it
-- is over, a claim that finds nothing need not wait: the next second would have begun with it.
select target from dlq_breakers where ramp_step_at > now() - interval '1 second';
