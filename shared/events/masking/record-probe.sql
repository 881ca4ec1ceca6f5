-- Records an operator whose request compares masked values, before its answer is shown. Not the values:
-- viewers read the audit. A search that reads on makes many requests: these are recorded once within
-- :minutes. Of the audit only the latest rows are compared, because it has no index by actor.
insert into dlq_audit (actor, action, details)
select :actor, 'compare masked values', compared
from jsonb_build_object('paths', :paths::text[]) as compared
where not exists (
  select from dlq_audit
  where id > (select max(id) - 1000 from dlq_audit) and at > now() - make_interval(mins => :minutes)
    and actor = :actor and action = 'compare masked values' and details = compared
)
returning id;
