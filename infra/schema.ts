import * as pulumi from '@pulumi/pulumi';
import type { Database } from './database.ts';
import { databaseRoleOf, planFunctions } from './function-plan.ts';
import type { Identities } from './identities.ts';
import type { Settings } from './settings.ts';

/** The schema to migrate: its database, the login that migrates, and the logins that get its roles. */
export type Schema = SchemaLocation & {
  /** Existing logins by group role. */
  readonly logins: pulumi.Input<Readonly<Record<string, readonly string[]>>>;
};

type SchemaLocation =
  | {
      readonly instance: pulumi.Input<string>;
      readonly database: pulumi.Input<string>;
      readonly user: pulumi.Input<string>;
      readonly ipType: Database['ipType'];
    }
  | { readonly url: pulumi.Input<string> };

/** Returns undefined if the database is not on Cloud SQL and `databaseUrls` has no `migrate`: the operator migrates. */
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
  for (const plan of planFunctions(settings)) {
    const role = databaseRoleOf(plan);
    const login = decodeURIComponent(new URL(urls[plan.name] ?? url).username);
    logins[role] = [...(logins[role] ?? []), login];
  }
  return { url: pulumi.secret(url), logins };
}
