import { AuthTypes, Connector, IpAddressTypes } from '@google-cloud/cloud-sql-connector';
import { OAuth2Client } from 'google-auth-library';
import pg from 'pg';

// Logs in by IAM as cloud-sql-proxy --auto-iam-authn does, and prints the rows of a statement.
const [instanceConnectionName = '', user = '', database = '', statement = ''] = process.argv.slice(2);
const auth = new OAuth2Client();
auth.setCredentials({ access_token: process.env.GOOGLE_OAUTH_ACCESS_TOKEN ?? '' });
const connector = new Connector({ auth });
const options = await connector.getOptions({
  instanceConnectionName,
  authType: AuthTypes.IAM,
  ipType: IpAddressTypes.PUBLIC,
});
const client = new pg.Client({ ...options, user, database });
await client.connect();
try {
  console.log(JSON.stringify((await client.query(statement)).rows));
} finally {
  await client.end();
  connector.close();
}
