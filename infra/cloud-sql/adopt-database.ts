import type { DynamicKind } from '../dynamic/dynamic-kind.ts';
import type { Ask } from '../google-api.ts';
import { changeInstance, type Instance, locate } from './change-instance.ts';

export type SqlDatabaseInputs = Instance & { readonly database: string };

/** Creates a database unless it exists. */
export const sqlDatabase: DynamicKind<SqlDatabaseInputs> = {
  replaces: ['project', 'instance', 'database'],
  identify: locateDatabase,
  hasChanged: async ({ ask }, _olds, news) => !(await exists(ask, news)),
  apply: async ({ ask }, inputs) => {
    if (await exists(ask, inputs)) return;
    const { project, instance, database: name } = inputs;
    const url = locate(inputs, 'databases');
    await changeInstance(ask, inputs, { url, method: 'POST', data: { project, instance, name } });
  },
};

function locateDatabase(inputs: SqlDatabaseInputs): string {
  return locate(inputs, `databases/${inputs.database}`);
}

async function exists(ask: Ask, inputs: SqlDatabaseInputs): Promise<boolean> {
  return (await ask(locateDatabase(inputs))) !== undefined;
}
