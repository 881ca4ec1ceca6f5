import { beforeEach } from 'node:test';
import * as v from 'valibot';
import type { KafkaRestTarget } from '../../shared/delivery/targets/kafka-rest-target.ts';
import { type HttpTarget, type Received, useHttpTarget } from './http-target.ts';

export type WrittenRecord = {
  /** Where the request asked for it, below the bridge's own address. */
  readonly path: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly (readonly [name: string, value: Buffer])[];
};

export type KafkaBridge = Pick<HttpTarget, 'url' | 'received'> & {
  /** Everything that was written, in order, since the test began. */
  readonly records: WrittenRecord[];
  /** Says 200 to the next record, and in it that Kafka refused it. */
  failNext(code: number, reason: string): void;
  /** Answers the next request so, whatever it is. */
  answerNext(status: number, text: string): void;
};

type Dialect = {
  readonly contentType: string;
  readonly schema: v.GenericSchema<unknown, Omit<WrittenRecord, 'path'>>;
  readonly written: (offset: number) => object;
  readonly failed: (code: number, reason: string) => object;
};

const base64 = v.pipe(
  v.string(),
  v.check((text) => Buffer.from(text, 'base64').toString('base64') === text),
  v.transform((text) => Buffer.from(text, 'base64')),
);
const notEmpty = v.pipe(
  base64,
  v.check((bytes) => bytes.length > 0),
);
const absent = (value: Buffer | null | undefined) => value ?? null;

/**
 * As in openapi.json of the bridge, but for what a null value becomes there: the bytes of the base64 `null`.
 * An empty header does not match the format `byte` there.
 */
const strimzi: Dialect = {
  contentType: 'application/vnd.kafka.binary.v2+json',
  schema: v.pipe(
    v.strictObject({
      records: v.strictTuple([
        v.strictObject({
          key: v.optional(base64),
          value: v.union([
            base64,
            v.pipe(
              v.null(),
              v.transform(() => Buffer.from('null', 'base64')),
            ),
          ]),
          headers: v.optional(v.array(v.strictObject({ key: v.string(), value: notEmpty })), []),
        }),
      ]),
    }),
    v.transform(({ records: [{ key, value, headers }] }) => ({
      key: absent(key),
      value,
      headers: headers.map((header) => [header.key, header.value] as const),
    })),
  ),
  written: (offset) => ({ offsets: [{ partition: 0, offset }] }),
  failed: (error_code, message) => ({ offsets: [{ error_code, message }] }),
};

const binary = v.nullish(v.strictObject({ type: v.literal('BINARY'), data: v.nullable(base64) }));

const confluentV3: Dialect = {
  contentType: 'application/json',
  schema: v.pipe(
    v.strictObject({
      key: binary,
      value: binary,
      headers: v.optional(v.array(v.strictObject({ name: v.string(), value: base64 })), []),
    }),
    v.transform(({ key, value, headers }) => ({
      key: absent(key?.data),
      value: absent(value?.data),
      headers: headers.map((header) => [header.name, header.value] as const),
    })),
  ),
  written: (offset) => ({ error_code: 200, partition_id: 0, offset }),
  failed: (error_code, message) => ({ error_code, message }),
};

const dialects = { strimzi, 'confluent-v3': confluentV3 };

/** A bridge to Kafka on loopback that understands what those of its kind do, and nothing else. */
export function useKafkaBridge(flavor: KafkaRestTarget['flavor']): () => KafkaBridge {
  const target = useHttpTarget();
  const dialect = dialects[flavor];
  const records: WrittenRecord[] = [];
  const answers: { readonly status: number; readonly text: string }[] = [];
  const write = (request: Received) => {
    const answer = answers.shift();
    if (answer) return answer;
    if (request.headers['content-type'] !== dialect.contentType) return { status: 415, text: '' };
    const { success, output, issues } = v.safeParse(dialect.schema, JSON.parse(request.body.toString()));
    if (!success) return { status: 422, text: JSON.stringify(v.flatten(issues)) };
    records.push({ path: request.path, ...output });
    return { status: 200, text: JSON.stringify(dialect.written(records.length - 1)) };
  };
  beforeEach(() => {
    records.length = 0;
    answers.length = 0;
    target().answer = (request, response) => {
      const { status, text } = write(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
  });
  return () => ({
    url: target().url,
    received: target().received,
    records,
    failNext: (code, reason) =>
      answers.push({ status: 200, text: JSON.stringify(dialect.failed(code, reason)) }),
    answerNext: (status, text) => answers.push({ status, text }),
  });
}
