import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { relocate } from '../../infra/google-api.ts';

const service = 'https://run.googleapis.com/v2/projects/acme/locations/eu/services/dlo-retry';
const instance = 'https://sqladmin.googleapis.com/sql/v1beta4/projects/acme/instances/main/users';

describe('a request to Google', () => {
  const relocateWith = (url: string, config: Record<string, string>) => relocate(url, (key) => config[key]);

  it('goes to googleapis.com without a configuration', () => {
    assert.equal(relocateWith(service, {}), service);
  });

  it('goes to the universe of the provider', () => {
    const config = { 'gcp:universeDomain': 'acme.example' };
    assert.equal(relocateWith(service, config), service.replace('googleapis.com', 'acme.example'));
  });

  it('goes to a custom endpoint of the provider', () => {
    const config = {
      'gcp:cloudRunV2CustomEndpoint': 'https://run.acme.example/v2/',
      'gcp:sqlCustomEndpoint': 'http://127.0.0.1:8080/sql/',
    };
    assert.equal(relocateWith(service, config), service.replace('run.googleapis.com', 'run.acme.example'));
    assert.equal(
      relocateWith(instance, config),
      'http://127.0.0.1:8080/sql/projects/acme/instances/main/users',
    );
  });
});
