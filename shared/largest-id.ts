/** The largest id that there can be: where pages begin that go from the latest on. */
export const largestId = '9223372036854775807';
