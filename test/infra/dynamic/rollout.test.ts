import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import { openResource } from '../../../infra/dynamic/dynamic-code.ts';
import { rollout } from '../../../infra/rollout/verify-rollout.ts';
import { withGoogle } from '../../support/google.ts';

const prefix = 'projects/acme/locations/europe-west1/services/dlo-';
const service = 'projects/acme/locations/europe-west1/services/dlo-capture';

describe('a deployment of functions', () => {
  const google = withGoogle();
  beforeEach(() => {
    google.answer = () => undefined;
    google.requests.length = 0;
  });

  /** Cloud Run, with a service whose latest revision is of a deployment, or, with `more`, otherwise. */
  const serve = (deployment: string | undefined, more: object = {}) => {
    const latest = `${service}/revisions/dlo-capture-2`;
    const env = [{ name: 'DEPLOYMENT_HASH', value: deployment }];
    const found = {
      name: service,
      latestCreatedRevision: latest,
      latestReadyRevision: latest,
      trafficStatuses: [{ percent: 100 }],
      template: { containers: [{ image: 'x', env }] },
      ...more,
    };
    google.answer = ({ url }) => (url.endsWith(':getIamPolicy') ? {} : found);
  };
  const unready = { latestReadyRevision: `${service}/revisions/dlo-capture-1` };

  describe('before the build', () => {
    const of = (capture: string) => {
      return {
        kind: 'BuildAttempts',
        prefix,
        deployments: { capture },
        accessToken: 'theirs',
        options: {},
      } as const;
    };
    const check = (deployment: string, olds: object) => openResource(of(deployment), google).check(olds);
    /** The attempt of an update to `deployment`, after one to `before`. */
    const attempt = async (deployment: string, before?: string) => {
      const olds = before === undefined ? {} : { ...of(before), attempts: {} };
      const { inputs, failures: [failure] = [] } = await check(deployment, olds);
      assert.equal(failure, undefined);
      return 'attempts' in inputs ? (Object(inputs.attempts).capture ?? '1') : undefined;
    };

    it('asks Google nothing for a function that is new', async () => {
      assert.equal(await attempt('one'), '1');
      assert.deepEqual(google.requests, []);
    });

    it('changes nothing if the function serves what the last update deployed', async () => {
      serve('one');
      assert.equal(await attempt('one', 'one'), '1');
    });

    it('builds again after a failed build of an update that Pulumi took for done', async () => {
      serve('one');
      assert.equal(await attempt('two', 'two'), '2');
    });

    it('builds again after a failed build if a setting changed since', async () => {
      serve('one');
      assert.equal(await attempt('three', 'two'), '2');
    });

    it('builds again if the first build failed', async () => {
      assert.equal(await attempt('one', 'one'), '2');
      serve(undefined);
      assert.equal(await attempt('one', 'one'), '2');
    });

    it('builds again if the new revision never became ready', async () => {
      serve('two', unready);
      assert.equal(await attempt('two', 'two'), '2');
    });

    it('does not build for a setting alone', async () => {
      serve('one');
      assert.equal(await attempt('two', 'one'), '1');
    });

    it('does not build for a return to what serves', async () => {
      serve('one');
      assert.equal(await attempt('one', 'two'), '1');
    });

    it('is refused in one line, without a stack trace, if Google does not report what serves', async () => {
      google.answer = () => ({ error: { code: 403, message: 'Permission run.services.get denied.' } });
      const reason = 'run.googleapis.com answered 403: Permission run.services.get denied.';
      const { failures } = await check('one', { ...of('one'), attempts: {} });
      assert.deepEqual(failures, [{ property: '', reason }]);
    });
  });

  describe('after the build', () => {
    const access = { grants: [], isPrivate: false, iap: false };
    const to = (deployment: string, timeoutSeconds = 0) => ({
      services: [{ service, deployment, access }],
      timeoutSeconds,
    });

    it('is done once each function serves what was deployed', async () => {
      serve('one');
      const applying = rollout.apply(google, to('two', 3600));
      serve('two');
      await applying;
      assert.deepEqual(await rollout.findFailed?.(google, to('two'), to('two')), []);
    });

    it('fails if a function serves anything else, with its name and what to do', async () => {
      serve('one');
      await assert.rejects(
        rollout.apply(google, to('two')),
        /Not serving what was deployed: dlo-capture\..* Run the same command again .* --project=acme --limit=20/,
      );
    });

    it('fails while some requests go to an older revision', async () => {
      const old = { revision: 'dlo-capture-1', percent: 1 };
      const latest = { revision: 'dlo-capture-2', percent: 99 };
      for (const trafficStatuses of [
        [latest, old],
        [{ percent: 99 }, old],
      ]) {
        serve('two', { trafficStatuses });
        await assert.rejects(rollout.apply(google, to('two')), /Not serving what was deployed/);
      }
      serve('two', { trafficStatuses: [{ ...latest, percent: 100 }, { revision: 'dlo-capture-1' }] });
      await rollout.apply(google, to('two'));
    });

    it('fails if the new revision does not start', async () => {
      serve('two', unready);
      await assert.rejects(rollout.apply(google, to('two')), /Not serving what was deployed/);
    });

    it('asks nothing in a preview that does not know yet who may call, or with which token', async () => {
      const olds = {
        kind: 'Rollout',
        ...to('two'),
        accessToken: 'theirs',
        options: {},
        attempts: {},
      } as const;
      for (const name of ['services', 'accessToken']) {
        const { attempts: _, ...news } = { ...olds, [name]: pulumi.runtime.unknownValue };
        assert.deepEqual(await openResource(news).check(olds), { inputs: news });
        assert.deepEqual(openResource(news).diff(olds), { changes: true });
      }
    });

    it('asks nothing in a preview that does not know the credentials of the provider, so that there is no token', async () => {
      const news = { kind: 'Rollout', ...to('two'), accessToken: undefined, options: {} } as const;
      const olds = { ...news, accessToken: 'theirs', attempts: {} };
      assert.deepEqual(await openResource(news).check(olds), { inputs: news });
      assert.deepEqual(openResource(news).diff(olds), { changes: true });
    });

    it('asks nothing in a refresh, which has the token of the last update', async () => {
      const inputs = { kind: 'Rollout', ...to('two'), accessToken: 'expired', options: {} } as const;
      assert.deepEqual(openResource(inputs).diff(inputs), { changes: false });
    });

    it('is verified again in an update without changes', async () => {
      serve('one');
      const olds = {
        kind: 'Rollout',
        ...to('two'),
        accessToken: 'theirs',
        options: {},
        attempts: {},
      } as const;
      const { inputs } = await openResource(olds, google).check(olds);
      assert.deepEqual(openResource(inputs).diff(olds), { changes: true });
    });
  });
});
