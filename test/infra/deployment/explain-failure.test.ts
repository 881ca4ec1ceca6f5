import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import { explainFailure } from '../../../infra/build.ts';
import { all, deployed } from '../../support/deployment-program.ts';
import { runProgram } from '../../support/pulumi-program.ts';

const location = { name: 'dlo', project: 'acme-test', region: 'europe-west1' };
const failure = { urn: '', id: '', name: 'dlo-capture-function', type: '', failedOperation: 'update' };

describe('a function that could not be built', () => {
  it('is followed once by what to do, and not retried', async (t) => {
    const log = t.mock.method(pulumi.log, 'error', async () => {});
    await runProgram(async () => {
      const [hook] = explainFailure(location).hooks?.onError ?? [];
      for (const errors of [['Build failed: boom'], ['Build failed: again', 'Build failed: boom']]) {
        assert.equal(await hook?.callback({ ...failure, errors }), false);
      }
      return {};
    });
    const [message] = log.mock.calls.map(({ arguments: [text] }) => String(text));
    assert.equal(log.mock.callCount(), 1);
    assert.match(String(message), /^A function was not built; .* Run the same command again/);
    assert.match(String(message), /gcloud builds list --project=acme-test --region=europe-west1/);
  });

  it('is followed by its removal if an update was killed while it made the function', async (t) => {
    const log = t.mock.method(pulumi.log, 'error', async () => {});
    await runProgram(async () => {
      const [hook] = explainFailure(location).hooks?.onError ?? [];
      const errors = ['Error 409: Could not create Cloud Run service. It already exists.'];
      assert.equal(await hook?.callback({ ...failure, failedOperation: 'create', errors }), false);
      return {};
    });
    assert.match(
      String(log.mock.calls[0]?.arguments[0]),
      /gcloud functions delete dlo-capture --project=acme-test --region=europe-west1$/,
    );
  });

  it('is noticed for every function', async () => {
    const functions = all(await deployed('prod'), 'cloudfunctionsv2/function:Function');
    assert.deepEqual(
      functions.map(({ onError }) => onError),
      functions.map(() => ['dlo-build-failure']),
    );
    assert.equal(functions.length, 5);
  });
});
