type Sql = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Hours are keys of these tables. */
const counting = ['dlq_counts', 'dlq_count_deltas'];

/** Lets time pass: moves every time of the database back. */
export async function moveTime(sql: Sql, interval: string): Promise<void> {
  const columns = await sql(
    `select table_name, string_agg(format('%1$I = %1$I - interval %2$L', column_name, $1::text), ', ') as changes
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and data_type like 'timestamp%'
       and table_name like 'dlq\\_%' and table_name <> all ($2) and is_generated = 'NEVER'
     group by table_name`,
    [interval, counting],
  );
  const updates = columns.map((row) => `update ${row.table_name} set ${row.changes};`);
  await sql(`begin; set local session_replication_role = replica; ${updates.join(' ')} commit;`);
}
