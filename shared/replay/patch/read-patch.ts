import { sliceElements, sliceMembers } from '../../json/slice-json.ts';

/** An operation of RFC 6902. `value` is the JSON text of the request, so that numbers keep all their digits. */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Reads the operations of a validated patch from its JSON text. */
export function readPatch(json: string): readonly Operation[] {
  return sliceElements(json).map((element) => {
    const value = sliceMembers(element)[0]?.get('value');
    const operation = JSON.parse(element);
    return value === undefined ? operation : { ...operation, value };
  });
}
