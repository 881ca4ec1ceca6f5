import assert from 'node:assert/strict';

const sample =
  /^([a-z][a-z0-9_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})?) (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/;

/** Parses the text format of Prometheus strictly. Returns values by name and labels. */
export function readMetrics(text: string): Map<string, number> {
  assert.ok(text.endsWith('\n'), 'The last line has no line feed.');
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [, name = '', type = ''] = /^# TYPE ([a-z0-9_]+) (counter|gauge)$/.exec(line) ?? [];
    if (type !== '') types.set(name, type);
    if (line.startsWith('#')) continue;
    const [, key = '', value = ''] = sample.exec(line) ?? assert.fail(`Not a sample: ${line}`);
    assert.ok(types.has(key.replace(/\{.*$/s, '')), `No TYPE line: ${line}`);
    assert.ok(!values.has(key), `Duplicate sample: ${line}`);
    values.set(key, Number(value));
  }
  return values;
}
