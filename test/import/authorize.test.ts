import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { authorizeCalls } from '../../import/authorize.ts';
import { CommandError } from '../../import/command-error.ts';

// There are no Application Default Credentials, and no metadata server to ask.
process.env.METADATA_SERVER_DETECTION = 'none';
process.env.CLOUDSDK_CONFIG = '/nonexistent';
const found = process.env.PATH;

describe('calls of a deployed capture function', () => {
  afterEach(() => {
    process.env.PATH = found;
  });

  /** Makes `gcloud` a program of its own. */
  const installGcloud = (script: string) => {
    const folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'gcloud-'));
    writeFileSync(path.join(folder, 'gcloud'), `#!/bin/sh\n${script}\n`, {
      mode: 0o755,
    });
    process.env.PATH = `${folder}:${found}`;
  };

  it('have the identity token of the login of gcloud, which is asked for once', async () => {
    installGcloud('[ "$*" = "auth print-identity-token" ] && date +%N');
    const authorize = authorizeCalls(new URL('https://capture.example/orders'));
    const first = await authorize();
    assert.match(first ?? '', /^Bearer \w+$/);
    assert.equal(await authorize(), first);
  });

  it('fail with the remedy without any login', async () => {
    installGcloud('exit 1');
    await assert.rejects(
      authorizeCalls(new URL('https://capture.example'))(),
      (error) =>
        error instanceof CommandError &&
        /No identity token for https:\/\/capture\.example\. Run gcloud/.test(error.message),
    );
  });

  it('need no token on a laptop', async () => {
    assert.equal(await authorizeCalls(new URL('http://localhost:8080/capture'))(), undefined);
  });
});
