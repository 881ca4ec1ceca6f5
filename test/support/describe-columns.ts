import { after } from 'node:test';
import pg from 'pg';
import { toField } from '../../shared/database/statement.ts';

type Column = { readonly field: string; readonly oid: number };

/** The connection of a client: it sends the messages of the protocol. */
type Connection = {
  parse(message: { readonly text: string; readonly name: string }): void;
  describe(message: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
};

/**
 * Returns a function that resolves with the columns that PostgreSQL describes for a statement, which is not
 * executed. A suite calls it before `useDatabase`: the connection has to end before the database is lent again.
 */
export function useDescribeColumns(url: () => string): (text: string) => Promise<readonly Column[]> {
  let client: pg.Client | undefined;
  after(() => client?.end());
  return async (text) => {
    if (!client) {
      client = new pg.Client({ connectionString: url() });
      await client.connect();
    }
    return await describeColumns(client, text);
  };
}

function describeColumns(client: pg.Client, text: string): Promise<readonly Column[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Column[]>();
  let columns: readonly Column[] = [];
  const description = {
    submit(connection: Connection) {
      connection.parse({ text, name: '' });
      connection.describe({ type: 'S', name: '' });
      connection.sync();
    },
    handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }) {
      columns = fields.map(({ name, dataTypeID }) => ({ field: toField(name), oid: dataTypeID }));
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(columns),
  };
  client.query(description as unknown as pg.Submittable);
  return promise;
}
