import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BuildAttempt } from '../../infra/rollout/build-attempt.ts';
import { Rollout } from '../../infra/rollout/rollout.ts';
import { registerInputs, useDynamicProvider } from '../support/dynamic-provider.ts';
import { type GoogleAnswer, useGoogle } from '../support/google.ts';

const service = 'projects/acme/locations/europe-west1/services/dlo-capture';

describe('a deployment of functions', () => {
  const google = useGoogle();
  const provider = useDynamicProvider(() => ({ ...google().env, GOOGLE_OAUTH_ACCESS_TOKEN: 'ana' }));

  /** Cloud Run, with a service whose requests go to these revisions; by name, the deployment of each. */
  const serve = (revisions: Record<string, string>, service_: object = {}) => {
    const names = Object.keys(revisions);
    const traffic = names.map((revision) => ({ revision, percent: 100 / names.length }));
    google().answer = ({ url }): GoogleAnswer | undefined => {
      const [, path = '', revision = ''] =
        /^run\.googleapis\.com\/v2\/(projects\/.*?\/services\/[^/]+)(?:\/revisions\/(.*))?$/.exec(url) ?? [];
      if (path !== service) return undefined;
      const latestReadyRevision = names[0] && `${service}/revisions/${names[0]}`;
      if (!revision) return { name: service, latestReadyRevision, trafficStatuses: traffic, ...service_ };
      const env = [{ name: 'DEPLOYMENT_HASH', value: revisions[revision] }];
      return revision in revisions ? { name: revision, containers: [{ image: 'x', env }] } : undefined;
    };
  };
  const attemptFor = (deployment: string) =>
    registerInputs(() => new BuildAttempt('attempt', { service, deployment }));
  const rolloutOf = (deployment: string, timeoutSeconds = 0) =>
    registerInputs(() => new Rollout('rollout', { deployments: { [service]: deployment }, timeoutSeconds }));
  /** The state that the engine keeps after an update to `deployment`. */
  const deployed = async (deployment: string) => provider().check({}, await attemptFor(deployment));

  describe('before the build', () => {
    it('asks Google nothing for a function that is new', async () => {
      assert.equal((await deployed('one')).attempt, '1');
      assert.deepEqual(google().requests, []);
    });

    it('changes nothing if the function serves what the last update deployed', async () => {
      serve({ 'dlo-capture-1': 'one' });
      const olds = await deployed('one');
      const news = await provider().check(olds, await attemptFor('one'));
      assert.deepEqual(await provider().diff(olds, news), { changes: false, replaces: [] });
    });

    it('builds again after a failed build of an update that Pulumi took for done', async () => {
      serve({ 'dlo-capture-1': 'one' });
      const olds = await deployed('two');
      const news = await provider().check(olds, await attemptFor('two'));
      assert.equal(news.attempt, '2');
      assert.deepEqual(await provider().diff(olds, news), { changes: true, replaces: [] });
    });

    it('builds again after a failed build if a setting changed since', async () => {
      serve({ 'dlo-capture-1': 'one' });
      assert.equal((await provider().check(await deployed('two'), await attemptFor('three'))).attempt, '2');
    });

    it('builds again if the first build failed', async () => {
      const olds = await deployed('one');
      assert.equal((await provider().check(olds, await attemptFor('one'))).attempt, '2');
      serve({});
      assert.equal((await provider().check(olds, await attemptFor('one'))).attempt, '2');
    });

    it('builds again if the new revision never became ready', async () => {
      serve({ 'dlo-capture-1': 'one' }, { latestCreatedRevision: `${service}/revisions/dlo-capture-2` });
      assert.equal((await provider().check(await deployed('two'), await attemptFor('two'))).attempt, '2');
    });

    it('does not build for a setting alone', async () => {
      serve({ 'dlo-capture-1': 'one' });
      const news = await provider().check(await deployed('one'), await attemptFor('two'));
      assert.equal(news.attempt, '1');
    });

    it('does not build for a return to what serves', async () => {
      serve({ 'dlo-capture-1': 'one' });
      assert.equal((await provider().check(await deployed('two'), await attemptFor('one'))).attempt, '1');
    });

    it('asks again if Google is unavailable for a moment', async () => {
      serve({ 'dlo-capture-1': 'one' });
      const { answer } = google();
      let failures = 1;
      google().answer = (request) =>
        failures-- > 0 ? { error: { code: 503, message: 'Unavailable.' } } : answer(request);
      assert.equal((await provider().check(await deployed('one'), await attemptFor('one'))).attempt, '1');
    });

    it('fails if Google does not report what serves', async () => {
      google().answer = () => ({ error: { code: 403, message: 'Permission run.services.get denied.' } });
      await assert.rejects(
        provider().check(await deployed('one'), await attemptFor('one')),
        /run\.googleapis\.com answered 403: Permission run\.services\.get denied/,
      );
    });
  });

  describe('after the build', () => {
    it('is done once each function serves what was deployed', async () => {
      serve({ 'dlo-capture-1': 'one' });
      const inputs = await rolloutOf('two', 30);
      const creating = provider().create(inputs);
      serve({ 'dlo-capture-2': 'two' });
      assert.equal((await creating).id, 'rollout');
      assert.deepEqual(await provider().diff(inputs, await rolloutOf('two', 30)), {
        changes: false,
        replaces: [],
      });
    });

    it('fails if a function serves anything else, with its name and what to do', async () => {
      serve({ 'dlo-capture-1': 'one' });
      await assert.rejects(
        provider().create(await rolloutOf('two')),
        /Not serving what was deployed: dlo-capture\..* Run the same command again .* --project=acme --limit=20/,
      );
    });

    it('fails while some requests go to an older revision', async () => {
      serve({ 'dlo-capture-2': 'two', 'dlo-capture-1': 'one' });
      await assert.rejects(provider().create(await rolloutOf('two')), /Not serving what was deployed/);
    });

    it('is verified again in an update without changes', async () => {
      serve({ 'dlo-capture-1': 'one' });
      const inputs = await rolloutOf('two');
      assert.deepEqual(await provider().diff(inputs, inputs), { changes: true, replaces: [] });
    });
  });
});
