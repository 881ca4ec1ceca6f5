import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Provider } from '@pulumi/gcp/provider.js';
import * as pulumi from '@pulumi/pulumi';
import { checkProvider, findMissingRefresh } from '../../infra/check-program.ts';
import { checkSettings } from '../../infra/check-settings.ts';
import { componentType, deploy as deployBelow } from '../../infra/deploy.ts';
import { openGoogle } from '../../infra/google-api.ts';
import { ConfigError } from '../../shared/errors.ts';
import { allOwn, bundle, plainSettings } from '../support/deployment-program.ts';
import { runProgram, type Secret, unknown } from '../support/pulumi-program.ts';

describe('the program of a deployment', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dlo-program-'));
  });
  after(() => rm(folder, { recursive: true }));
  const warningsFor = async (text: string) => {
    await writeFile(path.join(folder, 'Pulumi.yaml'), text);
    return findMissingRefresh(folder);
  };

  it('is warned while its project takes an update that failed for done', async () => {
    assert.match(String(await warningsFor('name: acme\nruntime: nodejs\n')), /options: \{refresh: always\}/);
    assert.deepEqual(await warningsFor('name: acme\noptions:\n  refresh: always\n'), []);
    assert.deepEqual(await warningsFor('name: acme\noptions: {refresh: always}\n'), []);
    assert.deepEqual(findMissingRefresh('examples/pulumi'), []);
  });

  it('is refused with a provider that does not make the updates that it reports', () => {
    assert.deepEqual(checkProvider(), []);
    for (const version of ['9.36.1', '9.37.0', '10.0.0']) assert.deepEqual(checkProvider(version), []);
    for (const version of ['9.36.0', '9.35.7', '8.41.1']) {
      const [problem] = checkProvider(version);
      assert.match(String(problem?.remedy), /9\.36\.1 or newer.*pulumi-gcp#3970/, version);
    }
  });

  it('reports all invalid settings before it registers a resource', async () => {
    const settings = { ...plainSettings, region: 'nowhere', tier: 'huge' };
    const { resources, outputs } = await runProgram(() => {
      try {
        const checked = checkSettings(settings);
        const component = new pulumi.ComponentResource(componentType, 'invalid');
        return { made: deployBelow(component, checked, bundle).urls };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { wrong: error.problems.map(({ field }) => field) };
      }
    });
    assert.deepEqual([resources, outputs], [[], { wrong: ['region', 'tier'] }]);
  });
});

describe('an explicit provider', () => {
  const deploy = (projects: readonly string[], isPreview = false) =>
    runProgram(
      () => {
        for (const project of projects) {
          const provider = new Provider(project, { project, universeDomain: 'acme.example' });
          const component = new pulumi.ComponentResource(componentType, project, {}, { provider });
          deployBelow(
            component,
            checkSettings({ ...plainSettings, project, name: project.slice(5) }),
            bundle,
          );
        }
        return {};
      },
      { isPreview },
    );

  it('gives each dynamic resource its token and its options, in two projects of one program', async () => {
    const ran = await deploy(['acme-one', 'acme-two']);
    for (const kind of ['Origin', 'Migrations', 'BuildAttempts', 'Rollout', 'Propagation']) {
      const given = allOwn(ran, kind).map(({ inputs: { accessToken, options } }) => [
        (accessToken as Secret).secret,
        (options as Readonly<Record<string, unknown>>).universeDomain,
      ]);
      const expected = ['acme-one', 'acme-two'].map((project) => [`token of ${project}`, 'acme.example']);
      assert.deepEqual(given, expected, kind);
    }
  });

  it('counts in a preview, which does not know the options that it was not given', async () => {
    const options = { universeDomain: pulumi.runtime.unknownValue };
    const { connector } = openGoogle({ accessToken: 'theirs', options });
    assert.equal(connector.universeDomain, undefined);
  });

  it('is asked for a token once the resources are there for which it is needed', async () => {
    const ran = await deploy(['acme-new'], true);
    const tokens = ['Origin', 'Migrations', 'Rollout'].flatMap((kind) =>
      allOwn(ran, kind).map(({ inputs }) => [kind, (inputs.accessToken as Secret).secret]),
    );
    assert.deepEqual(tokens, [
      ['Origin', 'token of acme-new'],
      ['Migrations', unknown],
      ['Rollout', unknown],
    ]);
  });
});
