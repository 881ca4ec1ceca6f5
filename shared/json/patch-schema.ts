import * as v from 'valibot';

const pointer = v.pipe(
  v.string('Give a JSON Pointer, such as "/orderId".'),
  v.regex(
    /^(\/([^~/]|~[01])*)*$/,
    'Must be a JSON Pointer, such as "/items/0/sku": write ~ as ~0, and / within a name as ~1.',
  ),
);

/** A JSON Patch: https://www.rfc-editor.org/rfc/rfc6902 */
export const PatchSchema = v.pipe(
  v.array(
    v.variant(
      'op',
      [
        v.strictObject({ op: v.picklist(['add', 'replace', 'test']), path: pointer, value: v.unknown() }),
        v.strictObject({ op: v.literal('remove'), path: pointer }),
        v.strictObject({ op: v.picklist(['move', 'copy']), path: pointer, from: pointer }),
      ],
      'Give an operation of RFC 6902, such as {"op": "replace", "path": "/currency", "value": "EUR"}.',
    ),
    'Give a list of operations of RFC 6902.',
  ),
  v.minLength(1, 'Give at least one operation.'),
  v.maxLength(100, 'Give at most 100 operations.'),
  v.description('A JSON Patch (RFC 6902): edits each payload by a new event in place of the captured one.'),
);
