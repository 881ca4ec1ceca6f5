-- The end of the first hour that has counts: it may have begun before anything was counted.
select least(
  (select min(hour) from dlq_counts), (select min(hour) from dlq_count_deltas)
) + interval '1 hour' as first;
