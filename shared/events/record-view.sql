-- Saves a view, or removes it (:path null): the audit is its only place, so that each has an author.
insert into dlq_audit (actor, action, details)
values (:actor, case when :path::text is null then 'remove view' else 'save view' end,
  jsonb_build_object('view', :name::text, 'owner', :owner::text, 'path', :path));
