-- Saves a view, or removes it (:path null), unless it is so: the audit is its only place, with its author.
insert into dlq_audit (actor, action, details)
select :actor, case when :path::text is null then 'remove view' else 'save view' end,
  jsonb_build_object('view', :name::text, 'owner', :owner::text, 'path', :path)
where :path is distinct from (
  select details ->> 'path' from dlq_audit
  where details ? 'view' and details ->> 'view' = :name and details ->> 'owner' = :owner
  order by id desc limit 1
);
