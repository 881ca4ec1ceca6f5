import assert from 'node:assert/strict';
import { type CarriedRecord, describeRecording } from './recording.ts';
import { type Program, waitFor } from './start-program.ts';

const jsonType = 'application/vnd.kafka.v2+json';
const recordsType = 'application/vnd.kafka.binary.v2+json';

/** From a dead-letter topic to the address of capture. */
export type Way = { readonly topic: string; readonly capture: string };

export type Carrier = {
  /**
   * Brings the next dead letters to capture, at least `count`, which `program` writes, and returns them as
   * they are recorded.
   */
  carry(count: number, program: Program): Promise<readonly object[]>;
};

/**
 * A consumer of Strimzi's bridge, which posts what it reads to capture and then commits (docs/bring-over.md).
 */
export async function carryByBridge({ topic, capture }: Way): Promise<Carrier> {
  const group = `${process.env.BRIDGE}/consumers/to-capture-${topic}`;
  const settings = {
    name: 'one',
    format: 'binary',
    'auto.offset.reset': 'earliest',
    'enable.auto.commit': false,
  };
  await post(group, jsonType, JSON.stringify(settings));
  await post(`${group}/instances/one/subscription`, jsonType, JSON.stringify({ topics: [topic] }));
  const poll = async () => {
    const response = await fetch(`${group}/instances/one/records?timeout=500`, {
      headers: { accept: recordsType },
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    if (text === '[]') return [];
    await post(capture, recordsType, text);
    await post(`${group}/instances/one/offsets`, jsonType);
    return JSON.parse(text) as CarriedRecord[];
  };
  const carry = async (count: number, program: Program) => {
    const records: CarriedRecord[] = [];
    const isComplete = async () => {
      records.push(...(await poll()));
      return records.length >= count;
    };
    await waitFor(`${count} dead letters came from ${topic}`, isComplete, { program });
    return describeRecording(records);
  };
  return { carry };
}

async function post(url: string, contentType: string, body?: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    ...(body && { body }),
  });
  assert.ok(response.ok, `POST ${url}: ${response.status} ${await response.text()}`);
}
