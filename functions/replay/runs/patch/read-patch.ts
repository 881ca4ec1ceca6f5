import { sliceElements, sliceMembers } from '../../../capture/json-source.ts';

/** An operation of RFC 6902; `value` is JSON text as it was written, so that no digit of a number is lost. */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** The operations of a patch that has been checked, from its JSON text. */
export function readPatch(json: string): readonly Operation[] {
  return sliceElements(json).map((element) => {
    const value = sliceMembers(element)[0]?.get('value');
    const operation = JSON.parse(element);
    return value === undefined ? operation : { ...operation, value };
  });
}
