import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listFigures } from '../../functions/maintain/metrics/list-figures.ts';
import { measure } from '../../functions/maintain/metrics/measure.ts';
import { figures } from '../../infra/figures.ts';
import { useDatabase } from '../support/database.ts';

describe('the figures that are watched', () => {
  const database = useDatabase();

  it('are all among those that maintain reports', async () => {
    const measured = await measure(database().db, []);
    const reported = Object.keys(listFigures(measured));
    assert.deepEqual(
      figures.map(({ field }) => field).filter((field) => !reported.includes(field)),
      [],
    );
  });
});
