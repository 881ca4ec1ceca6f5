-- Forgets some error groups that have not been seen for long, have no events any more, and that nobody said anything of.
with gone as (
  delete from dlq_error_groups
  where fingerprint = any (array(
    select fingerprint
    from dlq_error_groups
    where last_seen_at < now() - make_interval(days => :days::int) and state = 'OPEN' and owner is null and note is null
      and not exists (select from dlq_totals where dlq_totals.fingerprint = dlq_error_groups.fingerprint)
    order by last_seen_at
    limit :limit::int
  ))
  returning 1
)
select count(*)::int as forgotten from gone;
