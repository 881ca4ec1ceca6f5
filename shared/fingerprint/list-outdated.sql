-- Up to :limit events whose fingerprint is by rules before :version, with the beginning of their stack trace;
-- with :areMerged those of groups that an operator merged into another one by those rules.
select
  id, event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason,
  left(error_stacktrace, 65536) as error_stacktrace, fingerprint as outdated
from dlq_events as event
where fingerprint >= 'v' and fingerprint < :version
  and (not :areMerged::boolean or exists (
    select
    from dlq_error_groups as merged
    where merged.fingerprint = event.fingerprint and merged.merged_into < :version
  ))
order by fingerprint, id
limit :limit::int;
