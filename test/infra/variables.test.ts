import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { all, at, exampleSettings, plainSettings, runOffice } from '../support/office-program.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Left to what the functions take by themselves, each for its reason. */
const notSet: Readonly<Record<string, string>> = {
  CALLER_AUDIENCE: 'CLOUD_RUN_IAM says that Cloud Run has verified tokens before.',
  CONSOLE_PATH: 'The console has a host of its own.',
  CONTINUE_BUDGET_SECONDS: 'The default is what Pub/Sub waits for.',
  IAP_AUDIENCE: 'Cloud Functions does not offer IAP.',
  K_SERVICE: 'Cloud Run sets it.',
  LOCAL_CALLER: 'Refused on Cloud Run.',
  RETRY_ENABLED: 'The setting `paused` stops the schedule.',
  ROUTES_FILE: 'ROUTES is a secret.',
};

/** What the code of the functions names: in the type that is the contract, and where it is checked. */
function readKnown(): string[] {
  const files = [
    'shared/environment.ts',
    ...globSync('shared/{*-config,config,database-place}.ts', { cwd: root }),
  ];
  const sources = files.map((file) => readFileSync(path.join(root, file), 'utf8'));
  return sources.flatMap((source) =>
    [...source.matchAll(/^ +(?:readonly )?([A-Z][A-Z0-9_]{3,})\??:/gm)].map(([, name = '']) => name),
  );
}

/** What a function of any office is told, in the open or as a secret. */
async function readSet(): Promise<string[]> {
  const urls = Object.fromEntries(
    ['capture', 'retry', 'replay', 'console', 'maintain'].map((name) => [name, 'postgres://10.0.0.2/office']),
  );
  const offices = [
    await runOffice({ ...exampleSettings('prod'), captureSecrets: 'sixteen characters' }),
    await runOffice({ ...plainSettings, databaseUrls: urls, maxConnections: 100 }),
  ];
  return offices.flatMap((office) =>
    all(office, 'cloudfunctionsv2/function:Function').flatMap(({ inputs: { serviceConfig } }) => [
      ...Object.keys(at(serviceConfig, 'environmentVariables') as object),
      ...(at(serviceConfig, 'secretEnvironmentVariables') as { key: string }[]).map(({ key }) => key),
    ]),
  );
}

describe('the variables of the functions', () => {
  it('are all set by the program, but for those that it leaves out for a reason', async () => {
    const expected = [...(await readSet()), ...Object.keys(notSet)];
    assert.deepEqual([...new Set(readKnown())].sort(), [...new Set(expected)].sort());
  });

  it('are not set where there is a reason not to', async () => {
    const set = await readSet();
    assert.deepEqual(
      Object.keys(notSet).filter((name) => set.includes(name)),
      [],
    );
  });
});
