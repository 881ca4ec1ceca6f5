import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Build } from '../../../infra/build.ts';
import { CloudFunction } from '../../../infra/cloud-function.ts';
import { Database } from '../../../infra/database.ts';
import { DatabaseLogin } from '../../../infra/database-login.ts';
import { DeadLetterOffice } from '../../../infra/dead-letter-office.ts';
import { planFunctions } from '../../../infra/function-plan.ts';
import { Identity } from '../../../infra/identity.ts';
import { PushSubscription } from '../../../infra/push-subscription.ts';
import { Schedule } from '../../../infra/schedule.ts';
import { Secret } from '../../../infra/secret.ts';
import { ConfigError } from '../../../shared/errors.ts';
import {
  allOwn,
  at,
  bundle,
  exampleSettings,
  find,
  migrate,
  plainSettings,
} from '../../support/deployment-program.ts';
import { runProgram } from '../../support/pulumi-program.ts';

const location = { project: 'acme-test', region: 'europe-west1' };

describe('a component in another Pulumi program', () => {
  it('creates a database with a login', async () => {
    const ran = await runProgram(() => {
      const database = new Database('yours', {
        ...location,
        databaseName: 'yours',
        tier: 'db-f1-micro',
        availability: 'ZONAL',
        deletionProtection: true,
      });
      const member = 'serviceAccount:app@acme-test.iam.gserviceaccount.com';
      return { user: new DatabaseLogin('app', { database, member, after: [database] }).user };
    });
    assert.deepEqual(ran.outputs, { user: 'app@acme-test.iam' });
    const user = allOwn(ran, 'SqlUser').find(({ name }) => name === 'app-user');
    assert.ok(user?.waitsFor.includes('yours-events'));
  });

  it('creates a function with a push subscription and a schedule', async () => {
    const ran = await runProgram(() => {
      const [plan] = planFunctions(exampleSettings('dev'));
      assert.ok(plan);
      const build = new Build('your-build', { ...location, bundle, grantDelaySeconds: 0 });
      const url = new Secret('your-url', { ...location, value: 'postgres://10.0.0.2/yours' });
      const identity = new Identity('yours', { project: location.project, displayName: 'Yours' });
      const target = new CloudFunction('yours', {
        ...location,
        plan,
        build,
        identity,
        access: { url, after: [] },
        variables: {},
        secrets: {},
        grantDelaySeconds: 0,
      });
      const pubsubAgent = 'serviceAccount:agent@gcp-sa-pubsub.iam.gserviceaccount.com';
      new PushSubscription('pushed', {
        ...location,
        topic: 'yours',
        target,
        pubsubAgent,
        ackDeadlineSeconds: 10,
      });
      new Schedule('clock', {
        ...location,
        target,
        description: 'Every hour.',
        cron: '0 * * * *',
        timeZone: 'Etc/UTC',
        paused: false,
        method: 'POST',
        deadlineSeconds: 60,
        retries: 0,
      });
      return { url: target.url };
    });
    const { url } = ran.outputs as { url: string };
    assert.equal(
      at(find(ran, 'pubsub/subscription:Subscription', 'pushed-push').inputs, 'pushConfig', 'pushEndpoint'),
      url,
    );
    assert.equal(at(find(ran, 'cloudscheduler/job:Job', 'clock-job').inputs, 'httpTarget', 'uri'), `${url}/`);
  });

  it('creates a complete deployment', async () => {
    const ran = await runProgram(() => ({
      urls: new DeadLetterOffice('yours', { settings: { ...plainSettings, name: 'post' }, bundle, migrate })
        .urls,
    }));
    assert.equal(at(ran.outputs, 'urls', 'console'), 'https://post-console-abc123-ew.a.run.app');
  });

  it('reports all invalid settings before it registers a resource', async () => {
    const settings = { ...plainSettings, region: 'nowhere', tier: 'huge' };
    const { resources, outputs } = await runProgram(() => {
      try {
        return { made: new DeadLetterOffice('yours', { settings, bundle, migrate }).urls };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { wrong: error.problems.map(({ field }) => field) };
      }
    });
    assert.deepEqual(outputs, { wrong: ['region', 'tier'] });
    assert.deepEqual(resources, []);
  });
});
