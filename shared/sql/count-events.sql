-- How many events a filter matches, but no further than :most: the rest is not worth the wait.
select count(*)::int as events from (select from dlq_events as event where (:filter) limit :most::int) as counted;
