import * as pulumi from '@pulumi/pulumi';
import type { Database } from './database.ts';
import { planFunctions } from './function-plan.ts';
import type { Identities } from './identities.ts';
import type { Settings } from './settings.ts';

/** What is to be brought up to date: the schema of which database, as whom, and who gets which of its roles. */
export type Schema = Place & {
  /** Logins by role. They are there by then. */
  readonly logins: pulumi.Input<Readonly<Record<string, readonly string[]>>>;
};

type Place =
  | {
      readonly instance: pulumi.Input<string>;
      readonly database: pulumi.Input<string>;
      readonly user: pulumi.Input<string>;
      readonly ipType: 'PUBLIC' | 'PRIVATE';
    }
  | { readonly url: pulumi.Input<string> };

/** None where nobody said as whom to migrate a database that is not on Cloud SQL: that is done by hand. */
export function describeSchema(
  settings: Settings,
  { database, identities }: { readonly database: Database | undefined; readonly identities: Identities },
): Schema | undefined {
  const { deployer, logins } = identities;
  if (!database || !deployer) return describeByUrl(settings);
  const { connectionName: instance, databaseName, ipType } = database;
  return { instance, database: databaseName, user: deployer.user, ipType, logins: pulumi.output(logins) };
}

function describeByUrl(settings: Settings): Schema | undefined {
  const { migrate: url, ...urls } = settings.databaseUrls;
  if (!url) return undefined;
  const logins: Record<string, string[]> = {};
  for (const { name, databaseRole } of planFunctions(settings)) {
    const login = decodeURIComponent(new URL(urls[name] ?? url).username);
    logins[databaseRole] = [...(logins[databaseRole] ?? []), login];
  }
  return { url: pulumi.secret(url), logins };
}
