import { facts } from './facts.ts';
import { findColumn, type Source } from './read-facts.ts';

/** Lists the columns whose type no fact can be read from, and columns of the mapping that do not exist. */
export function findUnreadable(source: Source): string[] {
  const { columns, mapping, isImport } = source;
  return Object.entries(facts).flatMap(([fact, { same, converted, imported }]) => {
    const given = mapping.columns[fact];
    if (typeof given === 'object') return [];
    const column = findColumn(source, fact);
    if (given !== undefined && !column) {
      return [
        `The table has no column ${given}, which the mapping names. Its columns: ${columns.map(({ name }) => name).join(', ')}.`,
      ];
    }
    if (!column || same.test(column.type) || converted?.test(column.type)) return [];
    if (isImport && imported?.test(column.type)) return [];
    const types = [same, converted].flatMap((each) => each?.source.replaceAll(/[$^()]/g, '').split('|'));
    const allowed = types.filter((type) => type !== undefined).join(', ');
    const remedy = isImport
      ? 'Import a view that converts it'
      : `Import its rows into a table of this product, which leaves it as it is (docs/adopt.md, Import)`;
    return [
      `Column ${column.name} is of type ${column.type}, and ${fact} is read from ${allowed}. ${remedy}.`,
    ];
  });
}
