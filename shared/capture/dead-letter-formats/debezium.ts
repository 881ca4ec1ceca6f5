import { isObject } from '../../json/parse-json.ts';
import { toDateFromMillis, toText } from '../column-values.ts';
import type { DeadLetterFormat } from '../message.ts';

/**
 * A change event of Debezium as JSON, with or without its schema. It reports no failure, and its type is the name of its
 * topic in Debezium's default naming, `server.schema.table`.
 * https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-change-events-value
 */
export const readDebezium: DeadLetterFormat = ({ json, facts }) => {
  if (!isObject(json)) return undefined;
  const change = isObject(json.schema) && isObject(json.payload) ? json.payload : json;
  const { source, op } = change;
  if (typeof op !== 'string' || !/^[crudtm]$/.test(op) || !isObject(source)) return undefined;
  const [server, table] = [toText(source.name), toText(source.table) ?? toText(source.collection)];
  if (server === null || table === null || toText(source.connector) === null) return undefined;
  // SQL Server has schemas in several databases of one server; MySQL and MongoDB have databases only.
  const scopes = source.connector === 'sqlserver' ? [source.db, source.schema] : [source.schema ?? source.db];
  const topic = [server, ...scopes.map(toText), table].filter((part) => part !== null).join('.');
  const isTypeKnown = ![undefined, 'unknown', facts.sourceTopic].includes(facts.eventType);
  return {
    ...(!isTypeKnown && { eventType: topic, isTypeTold: false }),
    sourceKind: facts.sourceKind ?? 'debezium',
    sourceTopic: facts.sourceTopic ?? topic,
    occurredAt: facts.occurredAt ?? toDateFromMillis(source.ts_ms),
  };
};
