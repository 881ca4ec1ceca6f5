-- The table $1 (an oid): everything that an adoption carries over, converts or cannot keep.
--
-- Longer than 60 lines because all of it must describe one moment.
select
  nspname as schema,
  relname as name,
  relkind as kind,
  relispartition or exists (select from pg_inherits where relation.oid in (inhrelid, inhparent)) as "isInherited",
  relrowsecurity or exists (select from pg_policy where polrelid = relation.oid) as "hasRowSecurity",
  pg_has_role(relowner, 'usage') as "isOwned",
  relowner::regrole::text as owner,
  relreplident as "replicaIdentity",
  pg_total_relation_size(relation.oid)::float8 as bytes,
  -- -1 before the first vacuum or analyze.
  nullif(reltuples, -1)::float8 as "estimatedRows",
  obj_description(relation.oid, 'pg_class') as comment,
  exists (
    select from pg_index
    where indrelid = relation.oid and indisunique and indpred is null and indisvalid and indnkeyatts = 1
      and indkey[0] = (select attnum from pg_attribute where attrelid = relation.oid and attname = 'id')
  ) as "hasUniqueId",
  pg_get_serial_sequence(format('%I.%I', nspname, relname), (
    select attname from pg_attribute where attrelid = relation.oid and attname = 'id' and not attisdropped)) as sequence,
  coalesce((
    select json_agg(json_build_object(
      'name', attname, 'type', format_type(atttypid, null), 'definition', format_type(atttypid, atttypmod),
      'isRequired', attnotnull, 'isIdentity', attidentity <> '', 'generated', attgenerated,
      'default', pg_get_expr(adbin, adrelid), 'comment', col_description(attrelid, attnum),
      'collation', case when attcollation <> typcollation then attcollation::regcollation::text end,
      'rejectsNull', typtype = 'd' and typnotnull and adbin is null and typdefaultbin is null,
      'sequence', case when attname <> 'id' then pg_get_serial_sequence(format('%I.%I', nspname, relname), attname) end
    ) order by attnum)
    from pg_attribute
    join pg_type on pg_type.oid = atttypid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = relation.oid and attnum > 0 and not attisdropped
  ), '[]') as columns,
  coalesce((
    select json_agg(json_build_object(
      'name', index.relname, 'definition', pg_get_indexdef(indexrelid), 'isUnique', indisunique,
      'constraint', pg_get_constraintdef(conn.oid), 'isPrimary', indisprimary, 'isReplicaIdentity', indisreplident,
      'isPlain', indpred is null and indexprs is null and amname = 'btree',
      'columns', array(
        select attname from unnest(indkey::int2[]) with ordinality as key (attnum, position)
        join pg_attribute on attrelid = indrelid and pg_attribute.attnum = key.attnum order by position)
    ) order by index.relname)
    from pg_index
    join pg_class as index on index.oid = indexrelid
    join pg_am on pg_am.oid = index.relam
    left join pg_constraint as conn on conindid = indexrelid and contype in ('p', 'u', 'x')
    where indrelid = relation.oid and indisvalid and not starts_with(index.relname, 'adopting_')
  ), '[]') as indexes,
  coalesce((
    select json_agg(json_build_object(
      'name', conname, 'kind', contype, 'definition', pg_get_constraintdef(pg_constraint.oid),
      'table', conrelid::regclass::text, 'isIncoming', conrelid <> relation.oid, 'isValid', convalidated, 'onDelete', confdeltype,
      'mayMove', case when conrelid = relation.oid
        then confrelid = 0 or has_table_privilege(confrelid, 'references')
        else pg_has_role((select relowner from pg_class where oid = conrelid), 'usage') end) order by conname)
    from pg_constraint
    where contype in ('c', 'f') and (conrelid = relation.oid or confrelid = relation.oid)
  ), '[]') as constraints,
  coalesce((
    select json_agg(json_build_object('name', tgname, 'definition', pg_get_triggerdef(pg_trigger.oid), 'enabled', tgenabled) order by tgname)
    from pg_trigger
    where tgrelid = relation.oid and not tgisinternal and not starts_with(tgname, 'adopting_')
  ), '[]') as triggers,
  array(select rulename::text from pg_rewrite where ev_class = relation.oid and rulename <> '_RETURN' order by 1) as rules,
  coalesce((
    select json_agg(json_build_object(
      'name', view.oid::regclass::text, 'kind', view.relkind, 'definition', pg_get_viewdef(view.oid),
      'options', array_to_string(view.reloptions, ', '), 'isOwned', pg_has_role(view.relowner, 'usage'),
      'isWritten', pg_relation_is_updatable(view.oid, true) <> 0,
      'columns', (
        select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
        from pg_attribute where attrelid = view.oid and attnum > 0 and not attisdropped)
    ) order by view.oid)
    from pg_class as view
    where view.oid in (
      select ev_class from pg_rewrite join pg_depend on objid = pg_rewrite.oid and classid = 'pg_rewrite'::regclass
      where refclassid = 'pg_class'::regclass and refobjid = relation.oid and ev_class <> relation.oid and rulename = '_RETURN')
  ), '[]') as views,
  array(
    select distinct pg_describe_object(classid, objid, objsubid)
    from pg_depend
    where (refclassid = 'pg_class'::regclass and refobjid = relation.oid
        or refclassid = 'pg_type'::regclass and refobjid in (reltype, (select typarray from pg_type where oid = reltype)))
      and (classid in ('pg_proc'::regclass, 'pg_class'::regclass, 'pg_policy'::regclass)
        or classid = 'pg_rewrite'::regclass
          and objid in (select oid from pg_rewrite where rulename <> '_RETURN' and ev_class <> relation.oid))
      and deptype = 'n'
      and not (classid = 'pg_class'::regclass and objid in (select indexrelid from pg_index where indrelid = relation.oid))
      and not (classid = 'pg_class'::regclass and (select relkind from pg_class as dependant where dependant.oid = objid) = 'S')
    order by 1
  ) as dependants,
  coalesce((
    select json_agg(json_build_object('name', pubname, 'isOwned', pg_has_role(pubowner, 'usage'),
      'columns', (select json_agg(attname order by attnum) from pg_attribute where attrelid = prrelid and attnum = any (prattrs)),
      'filter', pg_get_expr(prqual, prrelid), 'hasChanges', pubupdate or pubdelete) order by pubname)
    from pg_publication_rel join pg_publication on pg_publication.oid = prpubid
    where prrelid = relation.oid
  ), '[]') as publications,
  array(
    select pubname::text from pg_publication
    where puballtables
      or exists (select from pg_publication_namespace where pnpubid = pg_publication.oid and pnnspid = relnamespace)
    order by 1
  ) as "widePublications",
  array(select subname::text from pg_subscription_rel join pg_subscription on pg_subscription.oid = srsubid where srrelid = relation.oid)
    as subscriptions,
  array(
    select unnest(reloptions)
    union all
    select 'toast.' || unnest(toast.reloptions) from pg_class as toast where toast.oid = relation.reltoastrelid
    union all
    select 'UNLOGGED' where relpersistence = 'u'
    union all
    select 'TABLESPACE ' || spcname from pg_tablespace where pg_tablespace.oid = reltablespace
    union all
    select 'CLUSTER ON ' || indexrelid::regclass from pg_index where indrelid = relation.oid and indisclustered
    union all
    select 'STATISTICS ' || stxname from pg_statistic_ext where stxrelid = relation.oid
    union all
    select format('STORAGE, COMPRESSION or STATISTICS of column %I', attname)
    from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = relation.oid and attnum > 0 and not attisdropped
      and (attstorage <> typstorage or attcompression <> '' or coalesce(attstattarget, -1) >= 0)
    union all
    select 'comment on ' || pg_describe_object(classoid, objoid, 0)
    from pg_description
    where (classoid, objoid) in (
      select 'pg_class'::regclass, indexrelid from pg_index where indrelid = relation.oid
      union all
      select 'pg_constraint'::regclass, pg_constraint.oid from pg_constraint where conrelid = relation.oid
      union all
      select 'pg_trigger'::regclass, pg_trigger.oid from pg_trigger where tgrelid = relation.oid
    )
    union all
    select 'security label of ' || provider from pg_seclabel
    where classoid = 'pg_class'::regclass and objoid = relation.oid and objsubid = 0
  ) as settings
from pg_class as relation
join pg_namespace on pg_namespace.oid = relnamespace
where relation.oid = $1
