import { describe, it } from 'node:test';
import { fields } from '../../shared/events/filter/filter-fields.ts';
import { compareTable } from '../support/doc-tables.ts';

describe('the tables of the documentation (update: npm run renew)', () => {
  it('list the fields of a filter with their values, an example and their condition', (t) => {
    const rows = fields.map(({ name, kind, example, description }) => [
      `\`${name}\``,
      kind.values,
      `\`${example}\``,
      description,
    ]);
    compareTable(t, 'docs/filter.md', 'fields', rows);
  });
});
