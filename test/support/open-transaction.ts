import pg from 'pg';

/**
 * Does something while another session has a transaction open in which it ran `sql`. Nothing of that remains
 * unless `action` commits it.
 */
export async function whileTransactionIsOpen(
  url: string,
  sql: string,
  action: (commit: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(sql);
    await action(() => client.query('commit'));
  } finally {
    await client.end();
  }
}
