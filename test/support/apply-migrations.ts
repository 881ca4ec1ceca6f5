// A program for a process of its own, which trusts the stand-in of Cloud SQL: migrates as `pulumi up` does,
// with the variables and the configuration that it receives. Sends the message of an error, if any.
import { openGoogleApi } from '../../infra/google-api.ts';
import { type MigrationsInputs, migrations } from '../../infra/migrate/apply-schema.ts';

export type Migrate = {
  readonly inputs: MigrationsInputs;
  readonly env: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, string>>;
};
export type Migrated = { readonly failure?: string };

const inherited = { ...process.env };
process.on('message', async ({ inputs, env, config }: Migrate) => {
  process.env = { ...inherited, ...env };
  const readConfig = (key: string) => config[key];
  try {
    await migrations.apply({ ask: openGoogleApi(readConfig), readConfig }, inputs);
    process.send?.({});
  } catch (error) {
    process.send?.({ failure: String(error) });
  }
});
