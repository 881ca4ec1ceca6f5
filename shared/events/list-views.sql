-- The saved views of the team and of :actor: of each name the latest one, unless it was removed.
select name, owner, path
from (
  select distinct on (details ->> 'view', details ->> 'owner')
    details ->> 'view' as name, details ->> 'owner' as owner, details ->> 'path' as path
  from dlq_audit
  where details ? 'view' and details ->> 'owner' in ('', :actor)
  order by details ->> 'view', details ->> 'owner', id desc
) as latest
where path is not null
order by owner, name
limit 100;
