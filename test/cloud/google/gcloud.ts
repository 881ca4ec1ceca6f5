// Stands in for gcloud, for the commands that docs and outputs of a stack name. The account is that of
// CLOUDSDK_CORE_ACCOUNT.
import { parseArgs } from 'node:util';
import { callApi } from './call-api.ts';
import { gcloudAudience } from './cloud-run/front.ts';
import { idTokenOf } from './tokens.ts';

const { CLOUDSDK_CORE_ACCOUNT: account = '', HTTPS_PROXY: proxy = '' } = process.env;
const member = account.endsWith('.gserviceaccount.com') ? `serviceAccount:${account}` : `user:${account}`;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    ['project', 'location', 'message', 'attribute', 'audiences'].map((name) => [
      name,
      { type: 'string' as const },
    ]),
  ),
});
const text = (name: string) => String(values[name] ?? '');
const name = positionals.at(-1) ?? '';

const commands: Readonly<Record<string, () => Promise<void>>> = {
  'auth print-identity-token': async () =>
    console.log(idTokenOf(member, text('audiences') || gcloudAudience)),
  'pubsub topics publish': () => {
    const topic = name.includes('/') ? name : `projects/${text('project')}/topics/${name}`;
    const pairs = text('attribute').split(',').filter(Boolean);
    const attributes = Object.fromEntries(pairs.map((pair) => pair.split('=')));
    const messages = [{ data: Buffer.from(text('message')).toString('base64'), attributes }];
    return call(`pubsub.googleapis.com/v1/${topic}:publish`, { messages });
  },
  'scheduler jobs run': () =>
    call(
      `cloudscheduler.googleapis.com/v1/projects/${text('project')}/locations/${text('location')}/jobs/${name}:run`,
      {},
    ),
};
const command = Object.entries(commands).find(([words]) => positionals.join(' ').startsWith(words))?.[1];
if (!command) throw new Error(`The stand-in of gcloud has no command ${positionals.join(' ')}.`);
await command();

async function call(address: string, body: object): Promise<void> {
  const response = await callApi({ port: Number(new URL(proxy).port), member }, ['POST', address], body);
  if (response.code !== 200) throw new Error(JSON.stringify(response.body));
  console.log(JSON.stringify(response.body));
}
