/** As Map.prototype.getOrInsertComputed of ECMAScript 2026, which Node 24 does not have. */
export function getOrInsert<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  compute: () => NoInfer<Value>,
): Value {
  const found = map.get(key) ?? compute();
  map.set(key, found);
  return found;
}
